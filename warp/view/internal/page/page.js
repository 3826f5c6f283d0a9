const NS = "http://www.w3.org/2000/svg";
const views = [];

function el(name, attrs, ...kids) {
  const e = document.createElement(name);
  for (const k in attrs || {}) k in e && k !== "list" ? e[k] = attrs[k] : e.setAttribute(k, attrs[k]);
  e.append(...kids);
  return e;
}
function svg(name, attrs, text) {
  const e = document.createElementNS(NS, name);
  for (const k in attrs) e.setAttribute(k, attrs[k]);
  if (text !== undefined) e.textContent = text;
  return e;
}

// Hatchings tell reasons apart without colour. Each draws a tile of 8 by 8.
const hatches = [
  c => { c.fillRect(0, 0, 8, 8); },                                            // issued
  c => { for (const x of [1, 5]) c.fillRect(x, 0, 1, 8); },                    // control
  c => { c.lineWidth = 2; c.beginPath(); c.moveTo(0, 8); c.lineTo(8, 0); c.moveTo(-2, 2); c.lineTo(2, -2); c.moveTo(6, 10); c.lineTo(10, 6); c.stroke(); }, // barrier
  c => { c.lineWidth = 0.8; c.beginPath(); c.moveTo(0, 0); c.lineTo(8, 8); c.moveTo(-2, 6); c.lineTo(2, 10); c.moveTo(6, -2); c.lineTo(10, 2); c.stroke(); }, // dependency
  c => { for (const [x, y] of [[1, 1], [5, 5]]) c.fillRect(x, y, 2, 2); },     // memory
  c => { c.fillRect(0, 0, 8, 8); c.fillStyle = "#fff"; for (const [x, y] of [[1, 1], [5, 5]]) c.fillRect(x, y, 2, 2); }, // bank conflict
  c => { c.fillRect(0, 3, 8, 1); c.fillRect(3, 0, 1, 8); },                    // port busy
  c => { for (const y of [1, 5]) c.fillRect(0, y, 8, 1); },                    // pipe busy
  c => { c.lineWidth = 0.8; c.beginPath(); c.moveTo(0, 0); c.lineTo(8, 8); c.moveTo(8, 0); c.lineTo(0, 8); c.stroke(); }, // not selected
  c => { c.fillStyle = "#eee"; c.fillRect(0, 0, 8, 8); },                      // drained
  c => { c.fillStyle = "#ccc"; c.fillRect(0, 0, 8, 8); },                      // finished
];
const tiles = hatches.map(draw => {
  const t = el("canvas", { width: 8, height: 8 }), c = t.getContext("2d");
  c.fillStyle = "#fff"; c.fillRect(0, 0, 8, 8);
  c.fillStyle = c.strokeStyle = "#000";
  draw(c);
  return t;
});
const tileURL = tiles.map(t => t.toDataURL());

class View {
  constructor(run, number) {
    this.run = run;
    this.number = number;
    this.warp = 0;
    this.step = 0;
    this.lane = 0;
    this.fault = -1;
    this.root = el("section", { className: "run", tabIndex: -1, "data-run": number });
    this.head();
    this.faults();
    this.stepper();
    this.timeline();
    this.source();
    this.root.addEventListener("pointerdown", () => { active = this; });
  }

  head() {
    const r = this.run, dl = el("dl", { className: "facts" });
    for (const [k, v] of r.facts) dl.append(el("div", {}, el("dt", {}, k), el("dd", {}, v)));
    this.root.append(el("h2", {}, r.title), dl, el("p", { className: "bound" }, r.bound));
    for (const x of r.reasons) {
      const bar = el("i", {});
      bar.style.width = (100 * x.share).toFixed(2) + "%";
      bar.style.backgroundImage = `url(${tileURL[r.names.indexOf(x.name)]})`;
      this.root.append(el("div", { className: "bar" }, el("span", {}, x.name), el("span", {}, bar), el("b", {}, x.cycles.toLocaleString("en") + "  " + (100 * x.share).toFixed(1) + " %")));
    }
  }

  faults() {
    this.root.append(el("h3", {}, this.run.faults.length ? `Faults: ${this.run.faults.length}` : "No faults"));
    this.run.faults.forEach((f, i) => {
      const go = el("button", { type: "button", className: "go-fault" }, f.warp < 0 ? "step not kept" : "to step " + f.step);
      go.disabled = f.warp < 0;
      go.onclick = () => { this.fault = i; this.show(f.warp, f.step); };
      this.root.append(el("div", { className: "fault" }, go, el("span", {}, f.text)));
    });
  }

  stepper() {
    const r = this.run;
    this.root.append(el("h3", {}, "Steps"));
    if (!r.warps.length) {
      this.root.append(el("p", {}, "No steps were kept."));
      return;
    }
    this.pick = el("select", { "aria-label": "warp" });
    r.warps.forEach((w, i) => this.pick.append(el("option", { value: i }, w.name)));
    this.pick.onchange = () => this.show(+this.pick.value, 0);
    this.slider = el("input", { type: "range", min: 0, value: 0, "aria-label": "step", className: "slider" });
    this.slider.oninput = () => this.go(+this.slider.value);
    const move = (d, text, name) => {
      const b = el("button", { type: "button", "aria-label": name }, text);
      b.onclick = () => this.go(this.step + d);
      return b;
    };
    this.count = el("span", { className: "mono count" });
    this.root.append(el("div", { className: "ctl" }, this.pick, move(-1, "‹", "step back"), this.slider, move(1, "›", "next step"), this.count));
    this.now = el("div", { className: "now mono", "aria-live": "polite" });
    this.lanes = el("div", { className: "scroll lanes", tabIndex: 0, "aria-label": "lanes" });
    this.detail = el("div", { className: "detail mono" });
    this.root.append(this.now, this.lanes, this.detail);
    if (r.loose) this.root.append(el("p", {}, "This kernel keeps its values in variables: where they came from before an exchange is not known."));
    if (r.lost) this.root.append(el("p", {}, r.lost.toLocaleString("en") + " steps more were not kept."));
  }

  // go shows a step, in all runs if they step together.
  go(step) {
    active = this;
    this.show(this.warp, step);
    if (together.checked) for (const v of views) if (v !== this && v.run.warps.length) v.show(v.warp, step);
  }

  show(warp, step) {
    const warps = this.run.warps;
    if (!warps.length) return;
    this.warp = Math.max(0, Math.min(warp, warps.length - 1));
    const steps = warps[this.warp].steps;
    this.step = Math.max(0, Math.min(step, steps.length - 1));
    this.pick.value = this.warp;
    this.slider.max = steps.length - 1;
    this.slider.value = this.step;
    this.count.textContent = `${this.step + 1}/${steps.length}`;
    const s = steps[this.step], at = this.run.sites[s.at];
    let text = `${s.i}  ${s.op}   ${at.place}  ${at.text.trim()}\nmask ${s.mask}`;
    if (s.c >= 0) text += `, issued at cycle ${s.c}`;
    if (s.w) text += `, after ${s.w} cycles, most of them: ${s.r}`;
    if (s.x) text += `, ${s.x} passes more than without conflict`;
    this.now.textContent = text;
    this.now.style.whiteSpace = "pre-wrap";
    this.drawLanes(s, steps);
    this.select(this.lane);
    this.mark(s);
    this.drawTime();
  }

  // cellText is what stands in a lane's cell: its value if there is room, or how many
  // threads it came from.
  cellText(s, l, room) {
    if (s.st[l] === "-") return "";
    if (s.st[l] === "u") return "?";
    if (s.p) return s.p[l];
    if (!s.v) return s.a ? "→" : "";
    return s.v[l].length <= room ? s.v[l] : "…";
  }

  drawLanes(s, steps) {
    const n = this.run.lanes, w = n > 64 ? 34 : 36, size = 10, room = Math.floor((w - 4) / (size * 0.602));
    const moves = s.f && s.f.length, top = moves ? 92 : 20;
    const g = svg("svg", { width: n * w + 2, height: top + 44, viewBox: `0 0 ${n * w + 2} ${top + 44}` });
    const before = moves && s.b >= 0 ? steps[s.b] : null;
    const cell = (l, y, text, fill, cls) => {
      const c = svg("g", { class: cls, "data-lane": l });
      c.append(svg("rect", { x: l * w + 1, y, width: w, height: 24, fill, stroke: "#000" }), svg("text", { x: l * w + 1 + w / 2, y: y + 16, "text-anchor": "middle", "font-size": size, fill: "#000" }, text));
      g.append(c);
      return c;
    };
    const defs = svg("defs", {});
    const hatch = "h" + this.number;
    const pattern = svg("pattern", { id: hatch, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
    pattern.append(svg("rect", { width: 5, height: 5, fill: "#fff" }), svg("line", { x1: 0, y1: 0, x2: 0, y2: 5, stroke: "#000", "stroke-width": 1.2 }));
    const marker = svg("marker", { id: "m" + this.number, viewBox: "0 0 6 6", refX: 5.5, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" });
    marker.append(svg("path", { d: "M0 0L6 3L0 6z" }));
    defs.append(pattern, marker);
    g.append(defs);
    for (let l = 0; l < n; l++) g.append(svg("text", { x: l * w + 1 + w / 2, y: 11, "text-anchor": "middle", "font-size": 9, fill: "#444" }, l));
    if (moves) {
      for (let l = 0; l < n; l++) cell(l, 18, before ? this.cellText({ ...before, st: before.st.replaceAll("-", "a") }, l, room) : "", "#eee", "before");
      for (let l = 0; l < n; l++) {
        if (s.st[l] === "-") continue;
        g.append(svg("line", { class: "arrow", "data-from": s.f[l], "data-to": l, x1: (s.f[l] + .5) * w, y1: 44, x2: (l + .5) * w, y2: top - 1, stroke: "#000", "stroke-width": 1, "stroke-dasharray": s.f[l] === l ? "2 3" : "", "marker-end": `url(#m${this.number})` }));
      }
    }
    for (let l = 0; l < n; l++) {
      const off = s.st[l] === "-", on = s.p && s.p[l] === "1";
      const c = cell(l, top, this.cellText(s, l, room), off ? `url(#${hatch})` : s.st[l] === "u" ? "#ccc" : on ? "#bbb" : "#fff", "cell");
      c.addEventListener("pointerenter", () => this.select(l));
      c.addEventListener("click", () => this.select(l));
      if (s.o && s.o[l] && !off) {
        const from = this.run.sets[s.o[l]], many = /[,.]/.test(from);
        g.append(svg("text", { x: l * w + 1 + w / 2, y: top + 36, "text-anchor": "middle", "font-size": 8, fill: "#444" }, many ? "Σ" + size_(from) : "t" + from));
      }
    }
    const left = this.lanes.scrollLeft;
    this.lanes.replaceChildren(g);
    this.lanes.scrollLeft = left;
  }

  // select shows what is known of a lane.
  select(l) {
    const n = this.run.lanes;
    this.lane = (l + n) % n;
    l = this.lane;
    for (const c of this.lanes.querySelectorAll(".cell")) c.classList.toggle("on", +c.dataset.lane === l);
    for (const a of this.lanes.querySelectorAll(".arrow")) a.setAttribute("stroke-width", +a.dataset.to === l ? 2.5 : 1);
    const s = this.run.warps[this.warp].steps[this.step], at = this.run.sites[s.at];
    const lines = [`lane ${l}: ` + (s.st[l] === "-" ? "not active" : s.st[l] === "u" ? "undefined" : s.v ? s.v[l] : s.p ? (s.p[l] === "1" ? "in the set" : "not in the set") : "no result")];
    if (s.f && s.st[l] !== "-") lines.push(`read from lane ${s.f[l]}`);
    if (s.o && s.st[l] === "a") lines.push(s.o[l] ? `came from threads ${this.run.sets[s.o[l]]}` : "a constant");
    if (s.a && s.st[l] !== "-") lines.push(`address ${s.a[l]}`);
    lines.push(`mask ${s.mask}`, `${at.place}  ${at.text.trim()}`);
    this.detail.textContent = lines.join("\n");
    this.detail.style.whiteSpace = "pre-wrap";
  }

  // Timeline: from and span are cycles that are shown.
  timeline() {
    this.root.append(el("h3", {}, "Timeline of a multiprocessor"));
    const rows = this.run.rows;
    if (!rows.length) {
      this.root.append(el("p", {}, "No instruction was kept with its time."));
      return;
    }
    this.last = Math.max(...rows.map(r => r.q[r.q.length - 1][0] + 2));
    this.from = 0;
    this.span = this.last;
    const button = (text, name, f) => {
      const b = el("button", { type: "button", "aria-label": name }, text);
      b.onclick = () => { active = this; f(); };
      return b;
    };
    this.range = el("span", { className: "mono range" });
    this.root.append(el("div", { className: "ctl" }, button("+", "zoom in", () => this.zoom(2)), button("−", "zoom out", () => this.zoom(.5)),
      button("‹", "earlier", () => this.pan(-.5)), button("›", "later", () => this.pan(.5)), button("all", "whole run", () => { this.from = 0; this.span = this.last; this.drawTime(); }), this.range));
    this.canvas = el("canvas", { tabIndex: 0, "aria-label": "timeline: warps down, cycles across" });
    this.tip = el("div", { className: "detail mono" });
    this.tip.style.minHeight = "44px";
    this.tip.textContent = "Point at an instruction; click it to see its step.";
    this.root.append(this.canvas, this.tip);
    this.canvas.addEventListener("wheel", e => {
      e.preventDefault();
      this.zoom(e.deltaY < 0 ? 1.25 : .8, this.cycleAt(e));
    }, { passive: false });
    this.canvas.addEventListener("pointermove", e => this.point(e, false));
    this.canvas.addEventListener("click", e => this.point(e, true));
  }

  cycleAt(e) {
    const box = this.canvas.getBoundingClientRect();
    return this.from + Math.max(0, e.clientX - box.left - this.gutter) / (box.width - this.gutter) * this.span;
  }

  zoom(by, around) {
    if (!this.canvas) return;
    around ??= this.from + this.span / 2;
    const span = Math.max(16, Math.min(this.last, this.span / by));
    this.from = around - (around - this.from) * span / this.span;
    this.span = span;
    this.pan(0);
  }

  pan(by) {
    if (!this.canvas) return;
    this.from = Math.max(0, Math.min(this.from + by * this.span, this.last - this.span));
    this.drawTime();
  }

  drawTime() {
    if (!this.canvas) return;
    const wide = this.canvas.clientWidth || 600, high = 24 + this.run.rows.length * 18;
    const scale = window.devicePixelRatio || 1;
    this.gutter = wide < 500 ? 96 : 130;
    this.canvas.width = wide * scale;
    this.canvas.height = high * scale;
    this.canvas.style.height = high + "px";
    const c = this.canvas.getContext("2d");
    c.scale(scale, scale);
    c.fillStyle = "#fff";
    c.fillRect(0, 0, wide, high);
    c.font = "11px 'DejaVu Sans Mono', Menlo, Consolas, monospace";
    const px = t => this.gutter + (t - this.from) / this.span * (wide - this.gutter);
    const fills = tiles.map(t => c.createPattern(t, "repeat"));
    c.fillStyle = "#000";
    const each = round(this.span / (wide < 500 ? 3 : 6));
    for (let t = Math.ceil(this.from / each) * each; t <= this.from + this.span; t += each) {
      const text = String(t), x = Math.min(px(t), wide - c.measureText(text).width - 2);
      c.fillText(text, x, 12);
      c.fillRect(px(t), 15, 1, 5);
    }
    this.run.rows.forEach((row, i) => {
      const y = 22 + i * 18;
      c.fillStyle = "#000";
      c.fillText(row.name.replace("block ", "b").replace(" warp ", " w").replace("launch ", "l"), 2, y + 11);
      c.save();
      c.beginPath();
      c.rect(this.gutter, y - 1, wide - this.gutter, 17);
      c.clip();
      let lastMark = -9;
      for (let k = first(row.q, this.from); k < row.q.length; k++) {
        const q = row.q[k];
        let t = q[0];
        for (let j = 5; j < q.length; j += 2) t -= q[j];
        if (t > this.from + this.span) break;
        for (let j = 4; j < q.length; j += 2) {
          const x = px(t), w = px(t + q[j + 1]) - x;
          if (w > .6) { c.fillStyle = fills[q[j]]; c.fillRect(x, y, w, 14); }
          t += q[j + 1];
        }
        const x = px(q[0]);
        if (x - lastMark > .5) { c.fillStyle = "#000"; c.fillRect(x, y - 1, Math.max(1, px(q[0] + 1) - x), 16); lastMark = x; }
      }
      c.restore();
    });
    const s = this.run.warps.length && this.run.warps[this.warp].steps[this.step];
    const row = this.run.rows.findIndex(r => r.warp === this.warp);
    if (s && s.c >= this.from && s.c <= this.from + this.span && row >= 0) {
      c.strokeStyle = "#000"; c.lineWidth = 2;
      c.strokeRect(px(s.c) - 3, 22 + row * 18 - 2, 7, 18);
    }
    this.range.textContent = `cycles ${Math.round(this.from)} to ${Math.round(this.from + this.span)} of ${this.last}`;
  }

  point(e, click) {
    const box = this.canvas.getBoundingClientRect(), i = Math.floor((e.clientY - box.top - 20) / 18), row = this.run.rows[i];
    if (!row) return;
    const t = this.cycleAt(e), k = Math.min(first(row.q, t), row.q.length - 1), q = row.q[k];
    let text = `${row.name}, ${this.run.ops[q[1]]} at cycle ${q[0]}, ${this.run.sites[q[2]].place}`;
    for (let j = 4; j < q.length; j += 2) text += `\n${this.run.names[q[j]]}: ${q[j + 1]}`;
    this.tip.textContent = text;
    this.tip.style.whiteSpace = "pre-wrap";
    if (click && row.warp >= 0) this.show(row.warp, q[3]);
  }

  source() {
    this.root.append(el("h3", {}, "Source"));
    this.rowsOf = {};
    const most = Math.max(1, ...this.run.files.flatMap(f => f.lines.map(l => l.c || 0)));
    this.run.files.forEach((f, n) => {
      const body = el("tbody", {});
      for (const l of f.lines) {
        if (l.g) body.append(el("tr", {}, el("td", { colSpan: 7 }, "···")));
        const tr = el("tr", { className: (l.c || 0) > most / 4 ? "hot" : "" });
        const num = x => el("td", {}, x ? x.toLocaleString("en") : "");
        tr.append(num(l.c), el("td", {}, l.s ? (100 * l.s).toFixed(1) + "%" : ""), num(l.i), el("td", {}, l.i ? l.l.toFixed(1) : ""), num(l.x), el("td", {}, l.m || ""), el("td", {}, String(l.n)), el("td", { className: "src" }, l.t));
        if (l.i) {
          tr.classList.add("can");
          tr.onclick = () => this.toLine(n, l.n);
        }
        this.rowsOf[n + ":" + l.n] = tr;
        body.append(tr);
      }
      const head = el("tr", {}, ...["cycles", "", "instr", "lanes", "conflicts", "mostly by", "line", ""].map(h => el("th", {}, h)));
      this.root.append(el("details", { open: n < 2 }, el("summary", {}, f.name), el("div", { className: "src-box" }, el("table", {}, el("thead", {}, head), body))));
    });
  }

  // toLine shows the first step of a source line.
  toLine(file, line) {
    const is = s => this.run.sites[s.at].file === file && this.run.sites[s.at].line === line;
    for (let w = 0; w < this.run.warps.length; w++) {
      const n = (this.warp + w) % this.run.warps.length, steps = this.run.warps[n].steps;
      let k = w === 0 ? steps.findIndex((s, i) => i > this.step && is(s)) : -1;
      if (k < 0) k = steps.findIndex(is);
      if (k >= 0) { this.show(n, k); return; }
    }
  }

  mark(s) {
    if (this.here) this.here.classList.remove("here");
    const at = this.run.sites[s.at];
    this.here = this.rowsOf && this.rowsOf[at.file + ":" + at.line];
    if (!this.here) return;
    this.here.classList.add("here");
    const box = this.here.closest(".src-box");
    if (this.here.offsetTop < box.scrollTop + 20 || this.here.offsetTop > box.scrollTop + box.clientHeight - 30) box.scrollTop = this.here.offsetTop - box.clientHeight / 2;
  }

  nextFault() {
    const n = this.run.faults.length;
    for (let i = 1; i <= n; i++) {
      const k = (this.fault + i) % n, f = this.run.faults[k];
      if (f.warp >= 0) { this.fault = k; this.show(f.warp, f.step); return; }
    }
  }
}

// size_ counts the threads of a set as it is written.
function size_(text) {
  let n = 0;
  for (const part of text.split(", ")) {
    const m = part.match(/^(\d+)\.\.(\d+)(?: by (\d+))?$/);
    n += m ? (m[2] - m[1]) / (m[3] || 1) + 1 : 1;
  }
  return n;
}

// first returns the first instruction of a row that is issued at a cycle or later.
function first(q, cycle) {
  let lo = 0, hi = q.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (q[mid][0] + 1 < cycle) lo = mid + 1; else hi = mid;
  }
  return lo;
}

function round(x) {
  const p = 10 ** Math.floor(Math.log10(Math.max(1, x)));
  for (const m of [1, 2, 5, 10]) if (m * p >= x) return m * p;
  return 10 * p;
}

const together = document.getElementById("together");
for (const r of RUNS) views.push(new View(r, views.length));
let active = views[0];
document.getElementById("runs").append(...views.map(v => v.root));
document.querySelector(".together").hidden = views.length < 2;
for (const v of views) { v.show(0, 0); v.drawTime(); }
addEventListener("resize", () => views.forEach(v => v.drawTime()));
addEventListener("keydown", e => {
  if (e.ctrlKey || e.altKey || e.metaKey || /^(SELECT|TEXTAREA)$/.test(e.target.tagName) || !active) return;
  const v = active, keys = {
    ArrowRight: () => v.go(v.step + 1), ArrowLeft: () => v.go(v.step - 1), Home: () => v.go(0), End: () => v.go(1e9),
    ArrowDown: () => v.select(v.lane + 1), ArrowUp: () => v.select(v.lane - 1),
    w: () => v.show((v.warp + 1) % v.run.warps.length, 0),
    "+": () => v.zoom(2), "=": () => v.zoom(2), "-": () => v.zoom(.5), "[": () => v.pan(-.5), "]": () => v.pan(.5), f: () => v.nextFault(),
  };
  if (!keys[e.key] || e.key.startsWith("Arrow") && !v.run.warps.length) return;
  e.preventDefault();
  keys[e.key]();
});
