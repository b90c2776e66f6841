"use strict";
// All pairs as cells; a chosen cell shows the pair's mixture curves.

const CELLS_WITH_NUMBERS = 12;
const FACTOR = 1000;

class MatrixChart {
  constructor(place, chart, alt) {
    Object.assign(this, { place, chart, alt, quantity: 0 });
    this.alike = new Set(chart.alike.map((cell) => cell.join(",")));
    this.pairs = new Map(chart.rows.map((row, k) => [`${row},${chart.columns[k]}`, k]));
    const first = chart.names.length > 1 ? [0, 1] : [0, 0];
    this.cell = chart.first ? chart.first.split("+").map((name) => chart.names.indexOf(name)) : first;
    this.plot = element("div", { class: "plot", tabindex: "0", role: "application", "aria-label": `${alt} Arrow keys choose a cell.` });
    this.plot.addEventListener("keydown", (event) => this.press(event));
    this.sentence = element("p", { class: "told", role: "status" });
    this.legendWords = element("p", { class: "note" });
    this.curve = element("div", { class: "pair" });
    const quantity = listOf("shown", chart.values.map((one) => one.title), (k) => { this.quantity = k; this.draw(); this.say(); });
    this.ends = ["domain a", "domain b"].map((word, end) => listOf(word, chart.names, (k) => { this.cell[end] = k; this.choose(); }));
    place.replaceChildren(element("div", { class: "choices" }, quantity.label), this.plot, this.legendWords,
      element("div", { class: "choices" }, ...this.ends.map((one) => one.label)), this.sentence, this.curve);
    this.draw();
    this.choose();
  }

  at(row, column) {
    const k = this.pairs.get(`${row},${column}`) ?? this.pairs.get(`${column},${row}`);
    return k === undefined ? null : k;
  }

  number(row, column) {
    const k = this.at(row, column);
    if (k !== null) {
      const one = this.chart.values[this.quantity];
      return [one.value[k], one.low[k], one.high[k]];
    }
    const filled = this.quantity === 0 && this.chart.completed.find((c) => (c[0] === row && c[1] === column));
    return filled ? [filled[2], null, null] : [null, null, null];
  }

  doubtful(row, column, [value, low, high]) {
    if (value === null) return false;
    if (this.quantity === 0) return this.alike.has(`${row},${column}`);
    return low === null || (low <= 0 && high >= 0);
  }

  draw() {
    const { names } = this.chart;
    const width = Math.floor(this.plot.clientWidth);
    const count = names.length;
    const side = Math.min(width, count <= CELLS_WITH_NUMBERS ? Math.max(420, 92 * count + 140) : 860);
    const found = names.map((_, row) => names.map((__, column) => this.number(row, column)));
    const z = found.map((row) => row.map((one) => one[0]));
    const known = z.flat().filter((value) => value !== null);
    const signed = this.quantity > 0;
    const top = Math.max(...known.map(Math.abs), 1e-9);
    const letters = count <= CELLS_WITH_NUMBERS && side / count > 50;
    const text = found.map((row, i) => row.map((one, j) => {
      if (one[0] === null) return "–";
      const bare = (one[0] * FACTOR).toFixed(top * FACTOR < 100 ? 1 : 0).replace("-", "−");
      return this.doubtful(i, j, one) ? `(${bare})` : bare;
    }));
    const hover = found.map((row, i) => row.map((one, j) => `${names[i]} and ${names[j]}<br>${inWords(...one)}`));
    const room = width < 520;
    const heat = { type: "heatmap", z, x: names.map((_, k) => k), y: names.map((_, k) => k), hovertext: hover, hoverinfo: "text", xgap: count > 60 ? 0 : 2, ygap: count > 60 ? 0 : 2,
      colorscale: signed ? [[0, "#5e3c99"], [0.25, "#b2abd2"], [0.5, "#f7f7f7"], [0.75, "#fdb863"], [1, "#b35806"]] : "Cividis",
      zmin: signed ? -top : Math.min(0, ...known), zmax: top, showscale: !room, colorbar: { thickness: 14, len: 0.8, outlinewidth: 0, tickfont: { size: 12 } } };
    if (letters) Object.assign(heat, { text, texttemplate: "%{text}", textfont: { size: 12 } });
    const ticks = { tickvals: count > 60 ? [] : names.map((_, k) => k), ticktext: names.map((name) => clipped(name, room ? 12 : 24)), showgrid: false, zeroline: false, ticks: "", showline: false };
    const layout = wholeLayout({ xaxis: { ...ticks, title: { text: "domain b" }, tickangle: -45, constrain: "domain", range: [-0.5, count - 0.5] },
      yaxis: { ...ticks, title: { text: "domain a" }, range: [count - 0.5, -0.5] } }, side, Math.round(side * (room ? 1 : 0.84)));
    layout.shapes = this.mark();
    Plotly.react(this.plot, [heat], layout, CONFIG);
    if (!this.bound) {
      this.bound = true;
      this.plot.on("plotly_click", (event) => { this.cell = [event.points[0].y, event.points[0].x]; this.choose(); });
    }
    const numbers = letters ? "Numbers in cells: 10⁻³ of performance; " : "";
    const meaning = signed ? "in brackets where the interval holds 0 or there is none: the sign is not known."
      : "in brackets where the domains are not told apart: the interval of the signed area holds 0.";
    this.legendWords.textContent = letters ? numbers + meaning : "";
  }

  mark() {
    const [row, column] = this.cell;
    return [{ type: "rect", x0: column - 0.5, x1: column + 0.5, y0: row - 0.5, y1: row + 0.5, line: { color: colourOf("ink"), width: 3 } }];
  }

  press(event) {
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const last = this.chart.names.length - 1;
    this.cell = this.cell.map((at, end) => Math.max(0, Math.min(last, at + move[end])));
    this.choose();
  }

  choose() {
    this.ends.forEach((one, end) => { one.select.value = String(this.cell[end]); });
    Plotly.relayout(this.plot, { shapes: this.mark() });
    this.say();
    const [a, b] = this.cell.map((k) => this.chart.names[k]);
    const key = [`${a}+${b}`, `${b}+${a}`].find((one) => one in this.chart.curves);
    if (key) {
      const view = this.chart.curves[key];
      const alt = `Mixture curves: ${view.layout.title.text}. ${this.sentence.textContent}`;
      const chart = { choices: [], views: { "": view }, height: 380 };
      if (this.mixture) {
        this.mixture.chart = chart;
        if (!this.mixture.plot.isConnected) this.curve.replaceChildren(this.mixture.place);
        this.mixture.plot.setAttribute("aria-label", alt);
        this.mixture.again();
      } else {
        this.curve.replaceChildren(element("div"));
        this.mixture = new PlainChart(this.curve.firstChild, chart, alt);
      }
    } else {
      const file = [`${a}+${b}`, `${b}+${a}`][this.pairs.has(this.cell.join(",")) ? 0 : 1];
      const words = this.at(...this.cell) === null ? ["This pair was not measured."]
        : ["This page does not hold the curves of this pair; they are ", element("a", { href: `figures/mixture-${file}.svg` }, "in the folder figures"), "."];
      this.curve.replaceChildren(element("p", { class: "note" }, ...words));
    }
  }

  say() {
    const [row, column] = this.cell;
    const { names, values } = this.chart;
    const one = this.number(row, column);
    const what = values[this.quantity].title.replace(/ \(.*\)/, "").replace(/:.*/, "");
    const doubt = !this.doubtful(row, column, one) ? "" : this.quantity === 0 ? ", not told apart from 0" : ", its sign is not known";
    const missing = this.at(row, column) === null ? " (not measured; completed from the landmarks)" : "";
    const pair = row === column ? `${names[row]} with itself` : `${names[row]} and ${names[column]}`;
    this.sentence.textContent = one[0] === null ? `${pair}: no value.` : `${pair}: ${what} ${inWords(...one)}${doubt}${missing}.`;
  }

  again() {
    if (Math.floor(this.plot.clientWidth) > 0) {
      this.draw();
      this.mixture?.again();
    }
  }
}
