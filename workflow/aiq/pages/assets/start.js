"use strict";
// The space and the tables are made when they come near; another width or theme draws the space anew.

function startSpace(figure, spaces) {
  const place = figure.querySelector(".chart");
  followWidth(new SpaceChart(place, spaces[figure.id.replace("figure-", "")], place.dataset.alt));
}

function followWidth(space) {
  let waiting = 0;
  const again = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => space.again(), 120);
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
  const { spaces, tables } = JSON.parse(await unpacked("data"));
  if (Object.keys(spaces).length) {
    const script = document.createElement("script");
    script.textContent = await unpacked("library");
    document.head.append(script);
  }
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      if (target.matches("figure")) startSpace(target, spaces);
      else startTable(target, tables);
    }
  }, { rootMargin: "800px 0px" });
  document.querySelectorAll("figure.live, .sheet .numbers").forEach((place) => near.observe(place));
  document.querySelectorAll("figure details").forEach((details) => details.addEventListener("toggle", () => {
    if (details.open) startTable(details.querySelector(".numbers"), tables);
  }));
  followPlace();
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  document.documentElement.className = "no-script";
  console.warn(`The space cannot be drawn (${error.message}); its picture is shown in its place.`);
});
