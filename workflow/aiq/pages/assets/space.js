"use strict";
// The intelligence space: three dimensions turned by mouse and keyboard, or any two of them; hulls by agent.

const CONFIG = { displayModeBar: false, responsive: false, scrollZoom: false, doubleClick: false, showTips: false };

function baseAxis(given, letters) {
  const title = given?.title?.text ? { text: wrapped(given.title.text, letters), standoff: 12, font: { size: 14 } } : undefined;
  const look = { gridcolor: colourOf("grid"), linecolor: colourOf("muted"), zerolinecolor: colourOf("muted"),
    tickfont: { size: 12 }, automargin: true, fixedrange: true, showline: true, ticks: "outside",
    tickcolor: colourOf("muted"), zerolinewidth: 1 };
  return { ...look, ...given, ...(title ? { title } : {}) };
}

function wholeLayout(layout, width, height) {
  const letters = Math.max(16, Math.floor((width - 90) / 7.2));
  const title = layout.title?.text;
  const narrow = width < 520;
  const made = { ...themed(layout), width, height, showlegend: false, dragmode: false, hovermode: "closest",
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: colourOf("ink") },
    margin: { l: narrow ? 52 : 66, r: 16, t: title ? 46 : 14, b: 52 },
    hoverlabel: { bgcolor: colourOf("card"), bordercolor: colourOf("muted"), align: "left",
      font: { size: 13, color: colourOf("ink") } } };
  if (title) made.title = { text: wrapped(title, letters), font: { size: 14 }, x: 0, xref: "paper", xanchor: "left" };
  if (layout.xaxis) made.xaxis = baseAxis(themed(layout.xaxis), letters);
  if (layout.yaxis) {
    made.yaxis = baseAxis(themed(layout.yaxis), Math.max(16, Math.floor((height - 110) / 7)));
    if (made.yaxis.ticktext) made.yaxis.ticktext = made.yaxis.ticktext.map((word) => clipped(word, narrow ? 14 : 40));
  }
  return made;
}

function swatch(colour) {
  const ink = themedColour(colour);
  const holder = element("span", { "aria-hidden": "true" });
  holder.innerHTML = `<svg width="24" height="16" viewBox="0 0 24 16"><rect x="2" y="2" width="20" height="12" fill="${ink}" fill-opacity="0.35" stroke="${ink}"/></svg>`;
  return holder.firstChild;
}

const HEIGHT = 560;
const EYE = { azimuth: -0.9, elevation: 0.42, distance: 1.5 };

function hullOutline(points) {
  const order = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const half = (sequence) => {
    const chain = [];
    for (const point of sequence) {
      while (chain.length > 1) {
        const [a, b] = chain.slice(-2);
        if ((b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) > 0) break;
        chain.pop();
      }
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  const corners = [...half(order), ...half([...order].reverse())];
  return [...corners, corners[0]];
}

function sheer(colour, opacity) {
  const parts = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
  return `rgba(${parts.join(",")},${opacity})`;
}

class SpaceChart {
  constructor(place, chart, alt) {
    Object.assign(this, { place, chart, alt });
    this.eye = this.first();
    this.count = chart.titles.length;
    this.solid = this.count > 2 && Boolean(document.createElement("canvas").getContext("webgl"));
    this.axes = [0, Math.min(1, this.count - 1)];
    this.shown = new Set(chart.hulls.slice(0, 2).map((hull) => hull.name));
    this.named = chart.domains.length <= 40;
    this.plot = element("div", { class: "plot", tabindex: "0", role: "application" });
    this.plot.addEventListener("keydown", (event) => this.press(event));
    this.legend = element("fieldset", { class: "legend" });
    place.replaceChildren(this.controls(), this.plot, this.legend);
    this.draw();
  }

  first() {
    return { ...EYE, distance: this.place.clientWidth < 520 ? 2.4 : EYE.distance };
  }

  controls() {
    const row = element("div", { class: "choices" });
    if (this.count > 2) {
      const words = ["three dimensions", "two dimensions"].slice(this.solid ? 0 : 1);
      const view = listOf("view", words, (k) => { this.flat = words[k] === "two dimensions"; this.draw(); });
      this.flat = !this.solid;
      row.append(view.label);
    } else this.flat = true;
    this.pickers = this.count < 2 ? [] : ["across", "upright"].map((word, end) => {
      const list = listOf(word, this.chart.titles, (k) => { this.axes[end] = k; this.draw(); });
      list.select.value = String(this.axes[end]);
      return list.label;
    });
    const box = element("input", { type: "checkbox" });
    box.checked = this.named;
    box.addEventListener("change", () => { this.named = box.checked; this.draw(); });
    const names = element("label", {}, box, "names");
    row.append(...this.pickers, names);
    return row;
  }

  draw() {
    for (const label of this.pickers) label.hidden = !this.flat && this.count > 2;
    for (const label of this.pickers) label.style.display = label.hidden ? "none" : "";
    const room = Math.floor(this.place.clientWidth);
    const height = Math.min(HEIGHT, Math.max(360, Math.round(room * 0.95)));
    const width = this.flat ? Math.min(room, Math.round(1.35 * height)) : room;
    this.plot.setAttribute("aria-label", `${this.alt} ${this.flat ? "Values stand in the table under Numbers." : "Arrow keys turn it, plus and minus zoom, 0 goes back."}`);
    const [data, layout] = this.flat ? this.plane(width, height) : this.room(width, height);
    if (this.flat !== this.before) Plotly.purge(this.plot);
    this.before = this.flat;
    Plotly.react(this.plot, themed(data), layout, CONFIG);
    if (!this.flat && !this.bound) {
      this.bound = true;
      this.plot.on("plotly_relayout", () => this.follow());
    }
    if (this.flat) this.bound = false;
    this.key();
  }

  told(k) {
    const { domains, points, low, high, titles, lengths } = this.chart;
    const rows = titles.map((title, d) => `${title}: ${inWords(points[k][d], low[d][k], high[d][k])}`).slice(0, 8);
    const length = lengths[k] ? [`normalised complexity ${lengths[k]}`] : [];
    return [`<b>${domains[k]}</b>`, ...length, ...rows].join("<br>");
  }

  errors(d) {
    const { points, low, high } = this.chart;
    if (low[d].every((one) => one === null)) return undefined;
    return { type: "data", symmetric: false, array: points.map((p, k) => Math.max(0, high[d][k] - p[d])),
      arrayminus: points.map((p, k) => Math.max(0, p[d] - low[d][k])), color: colourOf("muted"), thickness: 1.2, width: 2 };
  }

  plane(width, height) {
    const [a, b] = this.axes;
    const line = this.count === 1;
    const { points, domains, hulls, titles, colours } = this.chart;
    const at = (point, k) => [point[a], line ? k : point[b]];
    const data = [];
    for (const hull of hulls.filter((one) => this.shown.has(one.name) && !line)) {
      const corners = hullOutline([[0, 0], ...points.map((p, k) => [p[a] * hull.scale[k], p[b] * hull.scale[k]])]);
      const ink = themedColour(hull.colour);
      data.push({ type: "scatter", mode: "lines", name: hull.name, x: corners.map((c) => c[0]), y: corners.map((c) => c[1]),
        fill: "toself", fillcolor: sheer(ink, 0.12), line: { color: ink, width: 2, dash: hull.name === "suite" ? "solid" : "dash" }, hoverinfo: "skip" });
    }
    const places = points.map(at);
    const [across, upright] = this.frame(places, width, height, line);
    data.push({ type: "scatter", mode: "markers", name: "empty test (origin)", x: [0], y: line ? [-0.6] : [0], text: ["empty test (origin)"],
      hoverinfo: "text", marker: { symbol: "cross-thin-open", size: 13, color: "#000000", line: { width: 2 } } });
    data.push({ type: "scatter", mode: this.named && !line ? "markers+text" : "markers", name: "domains", x: places.map((p) => p[0]), y: places.map((p) => p[1]),
      text: domains.map((name) => clipped(name, width < 520 ? 14 : 30)), textfont: { size: 12 }, cliponaxis: false,
      textposition: this.positions(places, across, upright, width, height), hovertext: domains.map((_, k) => this.told(k)), hoverinfo: "text",
      marker: { size: 9, color: colours, line: { width: 1, color: colourOf("card") } }, error_x: this.errors(a), error_y: line ? undefined : this.errors(b) });
    const layout = wholeLayout({ xaxis: { title: { text: titles[a] }, range: across }, yaxis: line
      ? { tickvals: domains.map((_, k) => k), ticktext: domains, range: [domains.length - 0.5, -0.9] }
      : { title: { text: titles[b] }, range: upright, scaleanchor: "x" } }, width, height);
    return [data, layout];
  }

  frame(places, width, height, line) {
    // Ends of both axes at one scale: room for the names, and nothing empty that could be filled.
    const inner = [Math.max(100, width - 90), Math.max(100, height - 90)];
    const ends = [0, 1].map((end) => {
      const values = [0, ...places.map((p) => p[end])];
      return [Math.min(...values), Math.max(...values)];
    });
    const names = [width < 520 ? 0.2 : 0.12, 0.1];
    const scale = Math.max(...ends.map(([low, high], end) => (high - low || 1) / (inner[end] * (1 - 2 * names[end]))));
    return ends.map(([low, high], end) => {
      const half = (line ? (high - low || 1) / (1 - 2 * names[end]) : scale * inner[end]) / 2;
      return [(low + high) / 2 - half, (low + high) / 2 + half];
    });
  }

  positions(places, across, upright, width, height) {
    const pixel = ([x, y]) => [(x - across[0]) / (across[1] - across[0]) * (width - 90), (upright[1] - y) / (upright[1] - upright[0]) * (height - 80)];
    const dots = places.map(pixel);
    const taken = dots.map(([x, y]) => [x - 7, y - 7, x + 7, y + 7]);
    const tries = [["top center", 0, -1], ["bottom center", 0, 1], ["middle right", 1, 0], ["middle left", -1, 0],
      ["top right", 1, -1], ["top left", -1, -1], ["bottom right", 1, 1], ["bottom left", -1, 1]];
    return dots.map(([x, y], k) => {
      const w = 7 * Math.min(this.chart.domains[k].length, width < 520 ? 14 : 30), h = 15;
      const boxes = tries.map(([word, dx, dy]) => {
        const [cx, cy] = [x + dx * (w / 2 + 8), y + dy * (h / 2 + (dx ? 3 : 8))];
        return { word, box: [cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2] };
      });
      const cost = ({ box }) => taken.reduce((sum, one) => sum + Math.max(0, Math.min(box[2], one[2]) - Math.max(box[0], one[0]))
        * Math.max(0, Math.min(box[3], one[3]) - Math.max(box[1], one[1])), 0) + 40 * (Math.max(0, -box[0]) + Math.max(0, box[2] - width + 80));
      const best = boxes.reduce((one, other) => (cost(other) < cost(one) - 1e-9 ? other : one));
      taken.push(best.box);
      return best.word;
    });
  }

  room(width, height) {
    const { points, domains, hulls, titles, colours } = this.chart;
    const column = (d) => points.map((p) => p[d]);
    const data = [];
    for (const hull of hulls.filter((one) => this.shown.has(one.name))) data.push(...this.solidHull(hull));
    const spokes = [0, 1, 2].map((d) => points.flatMap((p) => [0, p[d], null]));
    data.push({ type: "scatter3d", mode: "lines", name: "spokes", x: spokes[0], y: spokes[1], z: spokes[2], hoverinfo: "skip", line: { color: colourOf("muted"), width: 2 } });
    data.push({ type: "scatter3d", mode: "markers", name: "empty test (origin)", x: [0], y: [0], z: [0], text: ["empty test (origin)"], hoverinfo: "text", marker: { symbol: "cross", size: 6, color: "#000000" } });
    data.push({ type: "scatter3d", mode: this.named ? "markers+text" : "markers", name: "domains", x: column(0), y: column(1), z: column(2),
      text: domains.map((name) => clipped(name, width < 520 ? 14 : 30)), textfont: { size: 13, color: colourOf("ink") }, textposition: "top center", hovertext: domains.map((_, k) => this.told(k)), hoverinfo: "text",
      marker: { size: 5, color: colours, line: { width: 1, color: colourOf("card") } },
      ...Object.fromEntries(["x", "y", "z"].map((axis, d) => [`error_${axis}`, this.errors(d)]).filter(([, bars]) => bars)) });
    const spans = [0, 1, 2].map((d) => Math.max(0, ...column(d)) - Math.min(0, ...column(d)));
    const longest = Math.max(...spans);
    const ratio = spans.map((span) => 1.1 * Math.max(0.35, span / longest));
    const axis = (d) => ({ title: { text: width < 520 ? `dim. ${d + 1}` : titles[d], font: { size: 13 } }, gridcolor: colourOf("rule"), zerolinecolor: colourOf("muted"), showbackground: false,
      tickfont: { size: 12 }, nticks: width < 520 ? 4 : 6, showspikes: false });
    const layout = { ...wholeLayout({}, width, height), margin: { l: 0, r: 0, t: 0, b: 0 },
      scene: { xaxis: axis(0), yaxis: axis(1), zaxis: axis(2), aspectmode: "manual", aspectratio: { x: ratio[0], y: ratio[1], z: ratio[2] },
        camera: this.camera(), dragmode: "turntable" } };
    return [data, layout];
  }

  solidHull(hull) {
    const ink = themedColour(hull.colour);
    const flat = hull.faces.flat();
    if (!flat.length) return [];
    const corner = (d) => flat.filter((_, k) => k % 3 === d);
    const numbers = [...Array(hull.faces.length).keys()];
    const edges = [0, 1, 2].map((d) => hull.faces.flatMap((f) => [f[d], f[3 + d], f[6 + d], f[d], null]));
    return [
      { type: "mesh3d", name: hull.name, x: corner(0), y: corner(1), z: corner(2), i: numbers.map((n) => 3 * n), j: numbers.map((n) => 3 * n + 1), k: numbers.map((n) => 3 * n + 2),
        color: ink, opacity: hull.name === "suite" ? 0.12 : 0.2, hoverinfo: "skip", flatshading: true, lighting: { ambient: 0.85, diffuse: 0.3, specular: 0 } },
      { type: "scatter3d", mode: "lines", name: hull.name, x: edges[0], y: edges[1], z: edges[2], line: { color: ink, width: hull.name === "suite" ? 3 : 2 }, opacity: 0.6, hoverinfo: "skip" },
    ];
  }

  camera() {
    const { azimuth, elevation, distance } = this.eye;
    const flat = Math.cos(elevation) * distance;
    return { eye: { x: flat * Math.cos(azimuth), y: flat * Math.sin(azimuth), z: Math.sin(elevation) * distance }, up: { x: 0, y: 0, z: 1 }, center: { x: 0, y: 0, z: -0.08 } };
  }

  follow() {
    const eye = this.plot.layout?.scene?.camera?.eye;
    if (!eye) return;
    const distance = Math.hypot(eye.x, eye.y, eye.z);
    this.eye = { azimuth: Math.atan2(eye.y, eye.x), elevation: Math.asin(eye.z / distance), distance };
  }

  press(event) {
    if (this.flat || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? 0.3 : 0.1;
    const moves = { ArrowLeft: () => { this.eye.azimuth -= step; }, ArrowRight: () => { this.eye.azimuth += step; },
      ArrowUp: () => { this.eye.elevation = Math.min(1.5, this.eye.elevation + step); }, ArrowDown: () => { this.eye.elevation = Math.max(-1.5, this.eye.elevation - step); },
      "+": () => { this.eye.distance = Math.max(0.6, this.eye.distance / 1.15); }, "-": () => { this.eye.distance = Math.min(6, this.eye.distance * 1.15); },
      0: () => { this.eye = this.first(); } };
    const move = moves[event.key === "=" ? "+" : event.key];
    if (!move) return;
    event.preventDefault();
    move();
    Plotly.relayout(this.plot, { "scene.camera": this.camera() });
  }

  key() {
    if (this.keyedDark === darkTheme.matches) return;
    this.keyedDark = darkTheme.matches;
    const boxes = this.chart.hulls.map((hull) => {
      const box = element("input", { type: "checkbox" });
      box.checked = this.shown.has(hull.name);
      box.addEventListener("change", () => {
        if (box.checked) this.shown.add(hull.name);
        else this.shown.delete(hull.name);
        this.draw();
      });
      return element("label", {}, box, swatch(hull.colour), hull.name);
    });
    this.legend.replaceChildren(element("legend", {}, "Hulls"), ...boxes);
    this.legend.style.display = this.count === 1 ? "none" : "";
  }

  again() {
    if (Math.floor(this.plot.clientWidth) > 0) this.draw();
  }
}
