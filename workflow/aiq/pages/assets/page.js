"use strict";
// What all parts of the page share: unpacking, colours of the theme, small elements, words.

const darkTheme = matchMedia("(prefers-color-scheme: dark)");

async function unpacked(id) {
  const letters = document.getElementById(id).textContent.trim();
  const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in made && typeof value !== "string") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function listOf(label, words, change) {
  const select = element("select", {}, ...words.map((word, k) => element("option", { value: String(k) }, word)));
  select.addEventListener("change", () => change(Number(select.value)));
  return { select, label: element("label", {}, label, select) };
}

function speak(words) {
  document.getElementById("spoken").textContent = words;
}

function colourOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const ON_LIGHT = { "#56B4E9": "#2E97D3", "#E69F00": "#B97F00", "#F0E442": "#9C8F00" };
const ON_DARK = { "#0072B2": "#4FB0EA", "#D55E00": "#F0803C", "#009E73": "#2FC79A", "#CC79A7": "#E39CC4" };

function themedColour(colour) {
  if (colour === "#000000") return colourOf("ink");
  if (colour === "#6E6E6E") return colourOf("muted");
  return (darkTheme.matches ? ON_DARK : ON_LIGHT)[colour] ?? colour;
}

function themed(value) {
  if (typeof value === "string") return value.startsWith("#") ? themedColour(value) : value;
  if (Array.isArray(value)) return typeof value[0] === "number" ? value : value.map(themed);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, themed(part)]));
  }
  return value;
}

function brief(value) {
  return value === null || value === undefined ? "–" : String(parseFloat(Number(value).toPrecision(4)));
}

function inWords(value, low, high) {
  if ([value, low, high].some((one) => one === null || one === undefined)) return brief(value);
  const width = Math.max(high - low, 1e-3 * Math.abs(value), 1e-12);
  const decimals = Math.min(8, Math.max(0, 1 - Math.floor(Math.log10(width))));
  const [shown, ...around] = [value, low, high].map((one) => Number(one).toFixed(decimals));
  return `${shown} [${around.join(", ")}]`;
}

function wrapped(text, letters) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = lines[lines.length - 1] ? `${lines[lines.length - 1]} ${word}` : word;
    if (longer.length > letters && lines[lines.length - 1]) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join("<br>");
}

function clipped(text, letters) {
  return text.length > letters ? `${text.slice(0, letters - 1)}…` : text;
}
