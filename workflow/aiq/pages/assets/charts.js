"use strict";
// Charts: choices above, the plot, a legend of check boxes below; drawn anew for another width or theme.

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

const SHAPES = { square: "M-4-4h8v8h-8z", "triangle-up": "M0-5L5 4h-10z", "triangle-down": "M0 5L5-4h-10z",
  diamond: "M0-6L6 0L0 6L-6 0z", cross: "M-5-1.7h3.3v-3.3h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3z",
  x: "M-4.5-2.5l2-2L0-2l2.5-2.5l2 2L2 0l2.5 2.5l-2 2L0 2l-2.5 2.5l-2-2L-2 0z", "line-ew": "M-7-1h14v2h-14z",
  star: "M0-6L1.8-1.8L6-1.8L2.8 1.2L3.8 5.5L0 3L-3.8 5.5L-2.8 1.2L-6-1.8L-1.8-1.8z" };
const STROKES = { solid: "", dash: "5 3", dashdot: "5 2 1 2", dot: "1.5 2.5", longdash: "8 3" };

function swatch(trace) {
  const ink = themedColour(trace.marker?.color ?? trace.line?.color ?? trace.fillcolor ?? "#6E6E6E");
  const marked = trace.marker && trace.mode !== "lines";
  const symbol = marked ? trace.marker.symbol ?? "circle" : "";
  const bare = symbol.replace("-open", "");
  const open = symbol.endsWith("-open");
  let inside = "";
  if (trace.type === "bar" || trace.type === "hull" || (trace.fill === "toself" && !trace.line?.width)) {
    inside = `<rect x="2" y="2" width="20" height="12" fill="${ink}" fill-opacity="${trace.type === "bar" ? 1 : 0.35}" stroke="${ink}"/>`;
  } else {
    if (trace.line) inside += `<line x1="0" x2="24" y1="8" y2="8" stroke="${ink}" stroke-width="2" stroke-dasharray="${STROKES[trace.line.dash] ?? ""}"/>`;
    const paint = open ? `fill="none" stroke="${ink}" stroke-width="1.6"` : `fill="${ink}"`;
    if (bare === "circle") inside += `<circle cx="12" cy="8" r="4.5" ${paint}/>`;
    else if (SHAPES[bare]) inside += `<path transform="translate(12 8)" d="${SHAPES[bare]}" ${paint}/>`;
  }
  const holder = element("span", { "aria-hidden": "true" });
  holder.innerHTML = `<svg width="24" height="16" viewBox="0 0 24 16">${inside}</svg>`;
  return holder.firstChild;
}

class PlainChart {
  constructor(place, chart, alt) {
    Object.assign(this, { place, chart, alt, chosen: chart.choices.map(() => 0), hidden: null });
    this.plot = element("div", { class: "plot", role: "img", "aria-label": alt });
    this.legend = element("fieldset", { class: "legend" });
    const lists = chart.choices.map((choice, k) => listOf(choice.label, choice.words, (picked) => {
      this.chosen[k] = picked;
      this.draw();
    }));
    this.lists = lists.map((one) => one.select);
    place.replaceChildren(element("div", { class: "choices" }, ...lists.map((one) => one.label)), this.plot, this.legend);
    this.draw();
  }

  view() {
    return this.chart.views[this.chosen.join(",")];
  }

  draw() {
    const view = this.view();
    if (this.hidden === null) {
      this.hidden = new Set(view.data.filter((trace) => trace.visible === "legendonly").map((trace) => trace.name));
    }
    const data = view.data.map((trace) => themed({ ...trace, visible: !this.hidden.has(trace.name) }));
    const width = Math.floor(this.plot.clientWidth);
    this.drawn = width;
    const layout = wholeLayout(view.layout, width, this.chart.height);
    if (width < 520) data.forEach((trace) => { if (trace.marker?.size > 6 && trace.marker.size < 12) trace.marker.size -= 1; });
    Plotly.react(this.plot, data, layout, CONFIG);
    this.key(view.data);
  }

  key(data) {
    const names = data.map((trace) => trace.name).join("\n");
    if (names === this.keyed && darkTheme.matches === this.keyedDark) return;
    [this.keyed, this.keyedDark] = [names, darkTheme.matches];
    const listed = data.filter((trace) => trace.showlegend !== false);
    const boxes = listed.map((trace) => {
      const box = element("input", { type: "checkbox" });
      box.checked = !this.hidden.has(trace.name);
      box.addEventListener("change", () => {
        if (box.checked) this.hidden.delete(trace.name);
        else this.hidden.add(trace.name);
        this.draw();
      });
      return element("label", {}, box, swatch(trace), trace.name);
    });
    this.legend.replaceChildren(element("legend", {}, "Shown"), ...boxes);
    this.legend.hidden = listed.length < 2;
    this.legend.style.display = listed.length < 2 ? "none" : "";
  }

  again() {
    if (Math.floor(this.plot.clientWidth) > 0) this.draw();
  }
}
