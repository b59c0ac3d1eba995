// Small functions that make and change elements.

const SVG = "http://www.w3.org/2000/svg";

export const by = (id) => document.getElementById(id);

// Makes an element with attributes and children; a function listens to the event of its name.
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

// Sets an attribute, or removes it if the value is null, undefined or false.
export function mark(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : value);
}

// Enables and disables buttons. If the focused button is disabled, the focus goes to the first
// enabled one, so that keyboard users need not begin at the top of the page again.
export function allow(...buttons) {
  const focus = document.activeElement;
  for (const [button, can] of buttons) button.disabled = !can;
  if (buttons.some(([button, can]) => button === focus && !can)) buttons.find(([button, can]) => can && !button.hidden)?.[0].focus();
}

// Loads the style of what is seen after the first choice.
export function dress() {
  if (!by("desk-style")) document.head.append(make("link", { id: "desk-style", rel: "stylesheet", href: new URL("desk.css", import.meta.url) }));
}

// Gives a file to the reader.
export function download(content, name) {
  const link = make("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Makes elements from the server's SVG text.
export function parsed(text) {
  const whole = text.startsWith("<svg") ? text : `<svg xmlns="${SVG}">${text}</svg>`;
  return document.importNode(new DOMParser().parseFromString(whole, "image/svg+xml").documentElement, true);
}
