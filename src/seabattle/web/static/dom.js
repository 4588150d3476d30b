// Small helpers: making elements, announcing, remembering.

/** An element with attributes, listeners (`onclick`) and children. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value === "boolean") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** The same for pictures. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Tell somebody who listens to the page what happened. */
export function announce(text) {
  const place = document.getElementById("announce");
  place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}

export const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** A function that waits until its calls pause, and then runs once. */
export function settled(action, milliseconds) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), milliseconds);
  };
}

export const memory = {
  get(key, otherwise) {
    try {
      return JSON.parse(localStorage.getItem(`seabattle.${key}`)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(key, value) {
    localStorage.setItem(`seabattle.${key}`, JSON.stringify(value));
  },
};

/** 15046987768 as 15,046,987,768; long counts as 1.5 × 10¹². */
export function count(text) {
  const number = BigInt(text);
  if (number < 10n ** 15n) return number.toLocaleString("en");
  const digits = number.toString();
  const power = [...String(digits.length - 1)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
  return `${digits[0]}.${digits.slice(1, 3)} × 10${power}`;
}

export const percent = (p) => (p > 0 && p < 0.01 ? "<1%" : p < 1 && p > 0.99 ? ">99%" : `${Math.round(p * 100)}%`);

/** A switch that is on or off. */
export function toggle(label, on, changed, title) {
  const button = h("button", { type: "button", class: "toggle", "aria-pressed": String(on), title }, h("span", { class: "knob", "aria-hidden": "true" }), label);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    changed(now);
  });
  return button;
}

/** A message that stands where it happened. */
export function notice(kind = "") {
  return h("p", { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status", hidden: true });
}

export function say(place, text) {
  place.textContent = text;
  place.hidden = !text;
}
