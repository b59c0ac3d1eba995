// A visit to the page as plain files. This script
//
//   - says in the board's place what is the matter, if the page cannot run;
//   - gives each copy of the page on a host its own stores in the browser;
//   - keeps the page for the next visit, and offers a newer version.
//
// It is no module: browsers run it from a file, too, and from hosts that send scripts as plain text.
// Where not even this script runs, the page has a sentence, which kulami-visit.css shows.
//
// scripts/make_static_page.py replaces the next line.

const TEXTS = {};

(() => {
  const POLICY = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' blob:";
  const LATER = 2000; // milliseconds: the first value comes before the files are kept
  const { src, dataset: { version } } = document.currentScript;
  const home = new URL(".", src);
  const { dataset } = document.documentElement;
  const { serviceWorker } = navigator;
  const whole = new Promise((begun) => { addEventListener("DOMContentLoaded", begun); });

  // A copy at the root of a host has plain names in the browser's stores; others add their folder.
  dataset.store = home.pathname === "/" ? "" : ` ${home.pathname}`;

  function remembered(name) {
    try {
      return localStorage.getItem(name + dataset.store);
    } catch {
      return null;
    }
  }

  function t(name, values = {}) {
    const asked = [remembered("language"), ...navigator.languages.map((one) => one.slice(0, 2))];
    return TEXTS[asked.find((one) => one in TEXTS) ?? "en"][name].replace(/\{(\w+)\}/g, (_hole, key) => values[key]);
  }

  // What is the matter

  let isSaid = false;

  // Says it once: in the board's place, or where the loading of the solver is reported if there is a board.
  async function say(name, values) {
    if (isSaid) return;
    isSaid = true;
    await whole;
    const matter = document.getElementById("matter");
    const loading = document.querySelector(".loading");
    const place = matter ?? loading;
    if (matter) loading?.remove();
    place.hidden = false;
    place.classList.remove("unbegun");
    place.setAttribute("role", "alert");
    place.replaceChildren(t(name, values));
    // If the page can draw its board all the same, it does so where this stands, which then goes below.
    new MutationObserver((_changes, seen) => {
      if (place.isConnected) return;
      seen.disconnect();
      place.classList.add("loading");
      document.body.append(place);
    }).observe(place.parentNode, { childList: true });
  }

  // Asks for a file of the page again; returns what is wrong with it, null if nothing is.
  async function fault(url) {
    const file = url.replace(home.href, "");
    let answer;
    try {
      answer = await fetch(url, { cache: "no-store" });
    } catch (error) {
      return ["missing", { file, status: error.message }];
    }
    if (!answer.ok) return ["missing", { file, status: answer.status }];
    const [type] = (answer.headers.get("content-type") ?? "?").split(";");
    return url.endsWith(".js") && !/(java|ecma)script/.test(type) ? ["wrong_type", { file, type }] : null;
  }

  // Finds out which of some files does not come; the page itself may be older than they are.
  async function explain(urls, otherwise) {
    if (isSaid) return;
    for (const url of urls) {
      const found = await fault(url);
      if (!found) continue;
      if (found[0] === "missing" && await isNewer()) return void location.reload();
      return void say(...found);
    }
    if (otherwise) say(...otherwise);
  }

  async function isNewer() {
    if (performance.getEntriesByType("navigation")[0]?.type === "reload") return false;
    try {
      return !(await (await fetch(location.pathname, { cache: "reload" })).text()).includes(version);
    } catch {
      return false;
    }
  }

  // `told` is the message of what failed: a name of a text, or a sentence that may have an address.
  function failed(told) {
    if (told === "no_wasm") return say(told);
    if (told === "policy" || /content.security.policy/i.test(told)) return say("policy", { policy: POLICY });
    const [url] = /\bhttps?:\/\/[^\s'"]+?(?=:?(\s|$))/.exec(told) ?? [new URL(`${version}/kulami-worker.js`, home).href];
    return explain([url]);
  }

  addEventListener("error", ({ target, message }) => {
    if (target === window) return void (/content.security.policy/i.test(message) && failed(message));
    if (target.tagName !== "SCRIPT") return;
    const modules = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.endsWith(".js"));
    explain(new Set([target.src, ...modules]), ["not_begun"]);
  }, true);
  addEventListener("unhandledrejection", ({ reason }) => {
    if (/\.js$/.test(reason?.message)) failed(reason.message); // a module that was to come later
  });

  // The next visit

  function offer(load) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: t("load_newer"), onclick: load });
    const notice = Object.assign(document.createElement("p"), { id: "newer", className: "loading" });
    notice.setAttribute("role", "status");
    notice.append(t("newer"), " ", button);
    document.getElementById("newer")?.remove();
    document.body.append(notice);
  }

  async function keep() {
    const kept = await serviceWorker.register(new URL("kulami-offline.js", home));
    let { controller } = serviceWorker;
    let isAsked = false; // whether this tab is to have the newer version
    const take = () => {
      isAsked = true;
      kept.waiting.postMessage("take over");
    };
    const look = () => controller && kept.waiting && offer(take);
    look();
    kept.addEventListener("updatefound", () => kept.installing.addEventListener("statechange", look));
    document.addEventListener("visibilitychange", () => document.hidden || kept.update().catch(() => {}));
    controller?.postMessage("tidy");
    serviceWorker.addEventListener("controllerchange", () => {
      if (isAsked) location.reload();
      else if (controller) offer(() => location.reload());
      ({ controller } = serviceWorker);
    });
  }

  if (location.protocol === "file:") say("from_file");
  whole.then(() => {
    if (!isSaid) document.getElementById("matter").hidden = true;
  });
  addEventListener("load", () => {
    const later = () => serviceWorker && setTimeout(() => keep().catch(() => {}), LATER);
    window.kulamiReady?.then(later, ({ message }) => failed(message));
  });
})();
