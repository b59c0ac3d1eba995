// Small things that every part of the page makes elements with.

const SVG = "http://www.w3.org/2000/svg";

export const by = (id) => document.getElementById(id);

// Elements with attributes and children; an attribute that is a function listens to that event.
export function make(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else mark(element, name, value);
  }
  element.append(...children);
  return element;
}

// Sets an attribute, or takes it away where there is nothing to say.
export function mark(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : value);
}

// Says which buttons can be pressed. The focus goes from one that no longer can to the first that
// still can: who comes by keys alone would have to begin at the top of the page again.
export function allow(...buttons) {
  const focus = document.activeElement;
  for (const [button, can] of buttons) button.disabled = !can;
  if (buttons.some(([button, can]) => button === focus && !can)) buttons.find(([button, can]) => can && !button.hidden)?.[0].focus();
}

// The elements that the server's SVG text stands for.
export function parsed(text) {
  const whole = text.startsWith("<svg") ? text : `<svg xmlns="${SVG}">${text}</svg>`;
  return document.importNode(new DOMParser().parseFromString(whole, "image/svg+xml").documentElement, true);
}
