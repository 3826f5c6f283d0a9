# Register banks and what a scheduler stays with: chosen instructions, registers and control codes, written over the
# body of banks.cubin (see banks.cu; the offsets are those that CUDA 13.0 gives). Run: python3 banks.py > banks.csv
import struct
import cupy as cp, numpy as np
RAW = open('banks.cubin', 'rb').read()
def sections(b):
    off = struct.unpack_from('<Q', b, 0x28)[0]; n, names = struct.unpack_from('<HH', b, 0x3c)
    hs = [struct.unpack_from('<IIQQQQIIQQ', b, off + 64*i) for i in range(n)]
    at = hs[names][4]
    return {b[at+h[0]:b.index(b'\0', at+h[0])].decode(): h for h in hs}
S = sections(RAW); CODE = S['.text.frame'][4]; BODY, ROOM = 0x130, 512
OPS = {'SHFL': (0x0c201f0000007f89, 0x0e0000), 'FSEL': (0x8000000000007208, 0x04000000), 'FMNMX': (0x7209, 0x07800000), 'FADD': (0x7221, 0), 'FFMA': (0x7223, 0),
       'IMAD': (0x7224, 0x078e0200), 'LOP3': (0x7212, 0x078e3cff), 'MUFU': (0x7308, 0x800), 'CS2R': (0x7805, 0x5000), 'NOP': (0x7918, 0), 'LDS': (0x7984, 0x800), 'STS': (0x7388, 0x800)}
def I(op, d=255, a=255, b=255, c=255, stall=1, stay=1, wb=7, wait=0):
    """An instruction; stay=0 is the control code that yields, wb the scoreboard that its result sets, wait the ones it awaits."""
    lo, hi = OPS[op]
    if op != 'NOP': lo |= (0 if op == 'STS' else d) << 16
    if op not in ('NOP', 'CS2R', 'MUFU'): lo |= a << 24
    if op not in ('NOP', 'CS2R', 'SHFL', 'LDS'): lo |= b << 32
    if op in ('FFMA', 'IMAD'): hi |= c
    return struct.pack('<QQ', lo, hi | (stall | stay << 4 | wb << 5 | 7 << 8 | wait << 11) << 41)
def rest(n):
    return [I('NOP', stall=min(8, n-k)) for k in range(0, n, 8)]
def program(body):
    body = list(body) + [I('CS2R', d=9, stall=5, stay=0)]; v = (ROOM - len(body)) * 16 >> 2
    assert v > 0
    body.append(struct.pack('<QQ', 0x7947 | (v & 0xff) << 16 | (v >> 8) << 34, 0x3800000 | (5 | 7 << 5 | 7 << 8) << 41))
    b = bytearray(RAW)
    for i, w in enumerate(body): b[CODE+BODY+16*i:CODE+BODY+16*i+16] = w
    k = 0
    for p in range(CODE + 0x2290, CODE + 0x27b0, 16):  # store R16 to R51 behind the two readings
        if struct.unpack_from('<H', b, p)[0] == 0x7986 and b[p+4] == 5: b[p+4] = 16 + k; k += 1
    assert k == 36
    q, end = S['.nv.info'][4], S['.nv.info'][4] + S['.nv.info'][5]
    while q < end:  # 64 registers a thread
        kind, attr, size = struct.unpack_from('<BBH', b, q)
        if kind == 4 and attr == 0x2f: struct.pack_into('<I', b, q+8, max(64, struct.unpack_from('<I', b, q+8)[0]))
        q += 4 + (size if kind == 4 else 0)
    return bytes(b)
out = cp.zeros(32*40, dtype=cp.uint32)
def run(body, warps=1, mask=15):
    m = cp.cuda.function.Module(); m.load(program(body)); f = m.get_function('frame')
    for _ in range(2):
        out.fill(0); f((1,), (32*warps,), (out, np.float32(1), np.int32(mask)), shared_mem=32768); r = out.get().reshape(32, 40)[:warps].astype(np.int64)
    return r[r[:, 1] != 0]
def cycles(body): r = run(body); return int(r[0][1] - r[0][0])
# Operands by parity of their registers. Results go to odd registers, those of shuffles and loads to an even one.
ZERO = [I('FADD', d=r) for r in range(20, 26)] + rest(8)
def op(text, n):
    name, _, src = text.partition(' ')
    regs = [(20 if p == 'e' else 21) + 2*k for k, p in enumerate(src)]
    if len(regs) == 1: regs = regs * 3
    a, b, c = (regs + [255] * 3)[:3]; d = 31 + 2 * (n % 8)
    if name in ('SHFL', 'LDS'): return I(name, d=50, a=a, wb=0)
    if name == 'MUFU': return I(name, d=50, b=a, wb=0)
    if name == 'STS': return I(name, a=b if len(src) > 1 else 255, b=a)  # data, address
    return I(name, d=d, a=a, b=b, c=c)
def step(ops):
    few, many = (cycles(ZERO + [op(o, k) for _ in range(n) for k, o in enumerate(ops)]) for n in (4, 16))
    return (many - few) / 12
print('# NVIDIA H200 cc 9.0, CUDA 13.0: banks.py. read: cycles for a row of instructions of one warp, repeated; e and o are operands in even and odd registers. write: cycles that a result comes later because of additions, from so many cycles behind it on, that write a register of the same or the other parity. order: which warp of a sub-partition issues, each having the same clock readings. steps: cycles of exchange, select, add on 8 warps of one or of each sub-partition, by parity of the registers')
print('kind,what,cycles')
for row in ('FADD ee,FADD ee', 'FADD ee,FADD oo', 'FADD ee,FADD eo', 'FADD ee,NOP', 'FADD ee,NOP,NOP', 'FADD ee,FADD o', 'FADD ee,FADD e', 'FADD ee,FADD o,FADD o', 'FFMA eeo,NOP', 'FFMA eoe,FADD o', 'FFMA eee',
            'FMNMX eo,FADD eo', 'FMNMX ee,FADD eo', 'FMNMX ee,FADD oo', 'FMNMX ee,FADD e', 'FMNMX e,FADD e', 'SHFL e' + 4 * ',FADD eo', 'SHFL o' + 4 * ',FADD eo', 'LDS e' + 4 * ',FADD eo', 'STS e' + 4 * ',FADD eo', 'MUFU e' + 7 * ',FADD eo'):
    print('read,"%s",%.2f' % (row, step(row.split(','))))
for first, n in (('SHFL e', 5), ('STS e', 7), ('STS oe', 7), ('LDS e', 7), ('MUFU e', 7)):
    for bits in range(1 << n):
        more = ['e' if bits >> k & 1 else 'o' for k in range(n)]
        print('read,"%s,%s",%.2f' % (first, ' '.join(more), step([first] + ['FADD ' + p for p in more])))
for first in ('SHFL', 'LDS', 'MUFU'):
    for x in ('FADD', 'FMNMX', 'IMAD'):
        for n in ((1, 2, 6) if x == 'FADD' else (1,)):
            for at in range(1, 24):
                t = [cycles(ZERO + [b for _ in range(6) for b in [I(first, d=30, a=20, b=20, wb=0)] + rest(at - 1) + [I(x, d=d, a=21, b=22, c=21)] * n + [I('FADD', d=37, a=30, b=29, wait=1)] + rest(36)]) for d in (40, 41)]
                print('write,%s %d %s at %d,%.2f' % (first, n, x, at, (t[0] - t[1]) / 6))
# Exchange, select, add in the steady state of 8 warps on one or on each sub-partition, by parity of what the exchange reads and the addition writes (v), what the exchange writes (q) and the select writes (y).
def steps(n, v, q, y):
    return [b for _ in range(n) for b in (I('SHFL', d=24+q, a=26+v, wb=0), I('FSEL', d=28+y, a=26+v, b=26+v, stall=5, stay=0), I('FADD', d=26+v, a=24+q, b=28+y, stall=5, stay=0, wait=1))]
for mask in (1, 15):
    for v in (0, 1):
        for q in (0, 1):
            for y in (0, 1):
                few, many = (max(r[:, 1]) - min(r[:, 0]) for r in (run(steps(n, v, q, y), 32, mask) for n in (40, 160)))
                print('steps,"v %d, q %d, y %d, %s",%.2f' % (v, q, y, 'one' if mask == 1 else 'all', (many - few) / 120))
for warps in (2, 3, 4):
    for stay in (0, 1):
        for stall in (1, 3, 5, 8):
            r = run([I('NOP', stall=8, stay=0)] * 6 + [I('CS2R', d=16+i, stall=stall, stay=stay) for i in range(36)], 4*warps, 1)
            print('order,"%d warps, stall %d, %s",%s' % (warps, stall, 'stay' if stay else 'yield', ''.join(str(w) for _, w in sorted((t, w) for w in range(warps) for t in r[w][2:38]))[:40]))
    r = run([I('NOP', stall=8, stay=0)] * 6 + [b for i in range(18) for b in (I('CS2R', d=16+2*i), I('FADD', d=57, a=54, b=55), I('CS2R', d=17+2*i, stall=5, stay=0))], 4*warps, 1)
    print('order,"%d warps, of every three instructions two stay",%s' % (warps, ''.join(str(w) for _, w in sorted((t, w) for w in range(warps) for t in r[w][2:38]))[:40]))
