"use strict";
// Shows what stands in #data: tables to sort and filter, a graph to pan, zoom, search and click. Needs nothing else.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const NAME = 0, TYPE = 1, DEPTH = 2, VERDICT = 3, METHOD = 4, ACCUMULATED = 5, SHARE = 6, OWN = 9, STATES = 10, NOTE = 11;
  const VALUES = 6; // of a tensor: name, node, type, shape, states, note, then a number per metric

  const text = (value, share) => {
    if (value === null || value === undefined) return "";
    if (typeof value !== "number") return String(value);
    if (share) return (Math.abs(value) < 5e-4 ? "0" : (100 * value).toFixed(Math.abs(value) < 0.1 ? 1 : 0)) + " %";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(2);
    // As many digits in all rows: one below the other they are compared by eye.
    return Number.isInteger(value) ? String(value) : size >= 1e4 ? value.toFixed(0) : value.toPrecision(4);
  };
  const many = (count) => count.toLocaleString("en");
  const order = (value) => (value === "∞" ? Infinity : value === "−∞" ? -Infinity : value);
  const make = (tag, content, kind) => {
    const found = document.createElement(tag);
    if (content !== undefined) found.textContent = content;
    if (kind) found.className = kind;
    return found;
  };

  // --- the graph ---
  const view = byId("view"), svg = view && view.querySelector("svg");
  let box = null, whole = null, chosen = -1, hits = [], hit = -1;
  const show = () => svg.setAttribute("viewBox", box.join(" "));
  const fit = () => { box = whole.slice(); show(); };
  const zoom = (factor, x, y) => {
    const least = whole[2] / 400, most = whole[2] * 4;
    const width = Math.min(Math.max(box[2] * factor, least), most), real = width / box[2];
    box = [x - (x - box[0]) * real, y - (y - box[1]) * real, width, box[3] * real];
    show();
  };
  const spot = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [point.x, point.y];
  };
  const middle = () => [box[0] + box[2] / 2, box[1] + box[3] / 2];
  const drawn = (node) => svg && svg.getElementById("node-" + node);

  if (svg) {
    whole = svg.getAttribute("viewBox").split(" ").map(Number);
    svg.removeAttribute("width"); svg.removeAttribute("height");
    svg.setAttribute("preserveAspectRatio", "xMidYMid meet");
    fit();
    view.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), ...spot(event));
    }, { passive: false });
    const fingers = new Map();
    let moved = 0, apart = 0;
    svg.addEventListener("pointerdown", (event) => { fingers.set(event.pointerId, event); moved = 0; apart = 0; });
    window.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const scale = svg.getScreenCTM().a;
      if (fingers.size === 1) {
        const x = event.clientX - before.clientX, y = event.clientY - before.clientY;
        moved += Math.abs(x) + Math.abs(y);
        if (moved > 3) { view.classList.add("moving"); box[0] -= x / scale; box[1] -= y / scale; show(); }
      }
      fingers.set(event.pointerId, event);
      if (fingers.size === 2) {
        const [one, two] = [...fingers.values()];
        const now = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
        if (apart) zoom(apart / now, ...spot(one));
        apart = now; moved += 10;
      }
    });
    for (const end of ["pointerup", "pointercancel"]) {
      window.addEventListener(end, (event) => { fingers.delete(event.pointerId); view.classList.remove("moving"); });
    }
    svg.addEventListener("click", (event) => {
      if (moved > 3) return;
      const group = event.target.closest("g[id^='node-']");
      choose(group ? Number(group.id.slice(5)) : -1, false);
    });
    byId("in").onclick = () => zoom(0.7, ...middle());
    byId("out").onclick = () => zoom(1 / 0.7, ...middle());
    byId("fit").onclick = fit;
    view.tabIndex = 0;
    view.addEventListener("keydown", (event) => {
      if (event.target !== view) return;
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (step) { box[0] += step[0] * box[2] / 8; box[1] += step[1] * box[3] / 8; show(); }
      else if (event.key === "+" || event.key === "=") zoom(0.7, ...middle());
      else if (event.key === "-") zoom(1 / 0.7, ...middle());
      else if (event.key === "0") fit();
      else return;
      event.preventDefault();
    });
    const search = byId("search"), count = byId("count");
    const find = () => {
      for (const node of hits) drawn(node)?.classList.remove("hit");
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      hits = words.length ? data.nodes.flatMap((row, node) => {
        const hay = (row[NAME] + " " + row[TYPE] + " " + row[VERDICT]).toLowerCase();
        return words.every((word) => hay.includes(word)) ? [node] : [];
      }) : [];
      hit = -1;
      for (const node of hits) drawn(node)?.classList.add("hit");
      count.textContent = words.length ? many(hits.length) + (hits.length === 1 ? " node" : " nodes") : "";
    };
    search.addEventListener("input", find);
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && hits.length) {
        hit = (hit + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
        choose(hits[hit], true);
        count.textContent = many(hit + 1) + " of " + many(hits.length);
      } else if (event.key === "Escape") { search.value = ""; find(); }
    });
  }

  const go = (node) => {
    const group = drawn(node);
    if (!group) return;
    const inner = group.getBBox(), matrix = svg.getCTM().inverse().multiply(group.getCTM());
    const at = new DOMPoint(inner.x + inner.width / 2, inner.y + inner.height / 2).matrixTransform(matrix);
    const width = Math.min(Math.max(inner.width * 7, 480), whole[2]);
    const share = view.clientHeight / Math.max(view.clientWidth, 1);
    box = [at.x - width / 2, at.y - width * share / 2, width, width * share];
    show();
  };

  const side = byId("side"), nothing = side ? side.innerHTML : "";
  const line = (list, name, value) => {
    if (value === "" || value === null || value === undefined) return;
    list.append(make("dt", name), make("dd", value));
  };
  function choose(node, travel) {
    if (chosen >= 0) drawn(chosen)?.classList.remove("chosen");
    document.querySelectorAll("tr.chosen").forEach((row) => row.classList.remove("chosen"));
    chosen = node;
    if (!side) return;
    if (node < 0) { side.innerHTML = nothing; return; }
    drawn(node)?.classList.add("chosen");
    const row = data.nodes[node], list = make("dl");
    line(list, "Type", row[TYPE]);
    line(list, "Verdict", row[VERDICT] && row[VERDICT] + (row[METHOD] ? " (" + row[METHOD] + ")" : ""));
    line(list, "Accumulated", text(row[ACCUMULATED]));
    line(list, "Share of blame", text(row[SHARE], true));
    line(list, "Introduced", text(row[7]));
    line(list, "Inherited", text(row[8]));
    line(list, "Introduced, share of the node's error", text(row[OWN], true));
    line(list, "States", row[STATES]);
    const parts = [make("h3", row[NAME]), list];
    if (row[NOTE]) parts.push(make("p", row[NOTE]));
    if (!drawn(node) && svg) parts.push(make("p", "It stands in a closed group of the drawing.", "muted"));
    for (const tensor of data.tensors.filter((each) => each[1] === node)) {
      const numbers = make("dl");
      line(numbers, "Shape", [tensor[3], tensor[2]].filter(Boolean).join("  "));
      data.metrics.forEach((metric, at) => line(numbers, metric.label, text(tensor[VALUES + at])));
      line(numbers, "States", tensor[4]);
      line(numbers, "Note", tensor[5]);
      parts.push(make("h3", tensor[0]), numbers);
    }
    side.replaceChildren(...parts);
    side.scrollTop = 0;
    document.querySelectorAll("tr[data-node='" + node + "']").forEach((each) => each.classList.add("chosen"));
    if (travel) go(node);
  }
  document.querySelectorAll(".go[data-node]").forEach((button) => {
    button.onclick = () => { choose(Number(button.dataset.node), true); view?.scrollIntoView({ block: "nearest" }); };
  });

  // --- tables ---
  const FIRST = 200;
  const table = (id, columns, rows, nodeOf, start) => {
    const place = byId(id);
    if (!place) return;
    const filter = place.querySelector("input"), status = place.querySelector("span"), more = place.querySelector("button.more");
    const grid = place.querySelector("table"), head = make("tr"), body = make("tbody");
    let by = start.by, down = start.down, all = false;
    const tie = (a, b) => by !== start.by || start.then === undefined ? 0
      : order(columns[start.then].of(rows[b])) - order(columns[start.then].of(rows[a]));
    columns.forEach((column, at) => {
      const cell = make("th", undefined, column.number ? "n" : ""), button = make("button", column.title);
      if (column.tip) cell.title = column.tip;
      button.onclick = () => { down = by === at ? !down : Boolean(column.worst === "high"); by = at; fill(); };
      cell.scope = "col";
      cell.dataset.title = column.title;
      cell.append(button); head.append(cell);
    });
    const top = make("thead"); top.append(head); grid.append(top, body);
    const fill = () => {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      const seen = rows.map((row, at) => at).filter((at) => {
        if (!words.length) return true;
        const hay = columns.map((column) => column.number ? "" : column.of(rows[at])).join(" ").toLowerCase();
        return words.every((word) => hay.includes(word));
      });
      const value = columns[by].of;
      seen.sort((a, b) => {
        const one = order(value(rows[a])), two = order(value(rows[b]));
        const lacks = (each) => each === null || each === undefined || each === "";
        if (lacks(one) || lacks(two)) return Number(lacks(one)) - Number(lacks(two)) || a - b;
        const found = typeof one === "number" && typeof two === "number" ? one - two : String(one).localeCompare(String(two));
        return (down ? -found : found) || tie(a, b) || a - b;
      });
      const shown = all ? seen : seen.slice(0, FIRST);
      body.replaceChildren(...shown.map((at) => {
        const line = make("tr"), node = nodeOf(rows[at], at);
        line.dataset.node = node;
        if (node >= 0 && node === chosen) line.className = "chosen";
        for (const column of columns) {
          const cell = make("td", undefined, column.number ? "n" : column.name ? "name" : "");
          if (column.name && node >= 0) {
            const button = make("button", column.of(rows[at]), "go");
            cell.append(button);
          } else cell.textContent = text(column.of(rows[at]), column.share);
          line.append(cell);
        }
        line.onclick = () => { if (node >= 0) { choose(node, true); view?.scrollIntoView({ block: "nearest" }); } };
        return line;
      }));
      head.querySelectorAll("th").forEach((cell, at) => {
        cell.setAttribute("aria-sort", at === by ? (down ? "descending" : "ascending") : "none");
        cell.firstChild.textContent = columns[at].title + (at === by ? (down ? " ↓" : " ↑") : "");
      });
      status.textContent = seen.length === rows.length ? many(rows.length) + " rows" : many(seen.length) + " of " + many(rows.length) + " rows";
      more.hidden = all || seen.length <= FIRST;
      more.textContent = "Show all " + many(seen.length);
    };
    filter.addEventListener("input", fill);
    more.onclick = () => { all = true; fill(); };
    fill();
  };
  const judged = data.nodes.some((row) => row[VERDICT]), blamed = data.nodes.some((row) => row[SHARE] !== null);
  const nodeColumns = [
    { title: "Name", of: (row) => row[NAME], name: true },
    { title: "Type", of: (row) => row[TYPE] },
    { title: "Depth", of: (row) => row[DEPTH], number: true },
    ...(judged ? [
      { title: "Verdict", of: (row) => row[VERDICT] },
      { title: "Accumulated", of: (row) => row[ACCUMULATED], number: true, worst: "high", tip: "Relative error of what it makes" },
      ...(blamed ? [
        { title: "Share of blame", of: (row) => row[SHARE], number: true, share: true, worst: "high", tip: "The part of the error at the output that goes back to the node" },
      ] : []),
      { title: "Introduced", of: (row) => row[7], number: true, worst: "high", tip: "What the node itself adds" },
      { title: "Inherited", of: (row) => row[8], number: true, worst: "high", tip: "What arrives and passes through" },
      { title: "Introduced, share of the node's error", of: (row) => row[OWN], number: true, share: true, worst: "high", tip: "Of its error, what it adds itself" },
    ] : []),
    { title: "States", of: (row) => row[STATES] },
  ];
  table("nodes", nodeColumns, data.nodes, (row, at) => at, judged ? { by: blamed ? 5 : 4, then: 4, down: true } : { by: 2, down: false });
  table("tensors", [
    { title: "Tensor", of: (row) => row[0], name: true },
    ...data.metrics.map((metric, at) => ({
      title: metric.label, of: (row) => row[VALUES + at], number: true, tip: metric.formula, worst: metric.better === "high" ? "low" : "high",
    })),
    { title: "Shape", of: (row) => row[3] },
    { title: "Type", of: (row) => row[2] },
    { title: "States", of: (row) => row[4] },
    { title: "Note", of: (row) => row[5] },
  ], data.tensors, (row) => row[1], { by: data.metrics.length ? 1 : 0, down: Boolean(data.metrics.length && data.metrics[0].better === "low") });

  // --- the theme ---
  const theme = byId("theme");
  theme.onchange = () => {
    if (theme.value === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = theme.value;
  };
  document.documentElement.dataset.ready = "yes";
})();
