"use strict";
// Charts and tables are made when they come near; another width or theme draws the charts anew.

const KINDS = { plain: PlainChart, space: SpaceChart, matrix: MatrixChart };
const made = new Map();

function startChart(figure, charts) {
  const place = figure.querySelector(".chart");
  if (made.has(figure)) return;
  made.set(figure, null);
  const chart = charts[figure.dataset.chart];
  made.set(figure, new KINDS[chart.kind](place, chart, place.dataset.alt));
}

function followWidth() {
  let waiting = 0;
  const again = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => made.forEach((chart) => chart?.again()), 120);
  };
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; again(); } });
  darkTheme.addEventListener("change", again);
}

function followPlace() {
  const links = [...document.querySelectorAll("nav a")];
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting)) {
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.find((link) => link.hash === `#${entry.target.id}`)?.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-15% 0px -80% 0px" });
  document.querySelectorAll("main > section").forEach((section) => seen.observe(section));
}

async function start() {
  if (!("DecompressionStream" in window)) throw new Error("this browser cannot unpack the data");
  const { charts, tables } = JSON.parse(await unpacked("data"));
  const script = document.createElement("script");
  script.textContent = await unpacked("library");
  document.head.append(script);
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      if (target.matches("figure")) startChart(target, charts);
      else startTable(target, tables);
    }
  }, { rootMargin: "800px 0px" });
  document.querySelectorAll("figure.live, .sheet .numbers").forEach((place) => near.observe(place));
  document.querySelectorAll("figure details").forEach((details) => details.addEventListener("toggle", () => {
    if (details.open) startTable(details.querySelector(".numbers"), tables);
  }));
  followWidth();
  followPlace();
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  document.documentElement.className = "no-script";
  console.warn(`Charts cannot be drawn (${error.message}); pictures are shown in their place.`);
});
