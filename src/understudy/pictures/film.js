// Sets up every film of the page that is not yet set up: a page may hold many, each followed by this script.
document.querySelectorAll(".us-film:not(.us-ready)").forEach((film) => {
  film.classList.add("us-ready");
  const { corners, shapes, mark, frames, texts } = JSON.parse(film.dataset.film);
  const find = (name) => film.querySelector(name);
  const slider = find("input"), button = find("[data-go=play]"), graph = find(".us-opinions svg"), last = frames.length - 1;
  const plies = film.querySelectorAll("[data-ply]");
  let now = last, timer = null;

  const place = (cell, shape) => shape && `<g transform="translate(${corners[cell].join(" ")})">${shape}</g>`;
  const show = (ply) => {
    now = Math.max(0, Math.min(last, ply));
    const [stones, marked] = frames[now];
    find(".us-stones").innerHTML = [...stones].map((code, cell) => place(cell, shapes[code])).join("");
    find(".us-marks").innerHTML = marked.map((cell) => place(cell, mark)).join("");
    slider.value = now;
    find("output").textContent = texts[now];
    plies.forEach((item) => item.classList.toggle("us-now", Number(item.dataset.ply) === now));
    reveal(find(".us-now"));
    if (graph) point();
  };
  // Scrolls the list alone: scrollIntoView would move the page under the reader.
  const reveal = (item) => {
    const list = find(".us-plies");
    list.scrollTop = item ? item.offsetTop - list.offsetTop - list.clientHeight / 2 : 0;
  };
  const point = () => {
    const margin = Number(graph.dataset.margin), { width, height } = graph.viewBox.baseVal;
    const x = margin + ((width - 2 * margin) / Math.max(last, 1)) * now;
    find(".us-cursor").setAttribute("d", `M${x} 0V${height}`);
  };
  const stop = () => {
    clearInterval(timer);
    timer = null;
    button.textContent = "play";
    button.setAttribute("aria-label", "play");
  };
  const play = () => {
    if (timer !== null) return stop();
    if (now === last) show(0);
    button.textContent = "stop";
    button.setAttribute("aria-label", "stop");
    timer = setInterval(() => (film.isConnected && now < last ? show(now + 1) : stop()), 700);
  };
  const go = { first: () => show(0), previous: () => show(now - 1), next: () => show(now + 1), last: () => show(last), play };
  const keys = { Home: "first", ArrowLeft: "previous", ArrowRight: "next", End: "last" };

  film.addEventListener("click", (event) => {
    const target = event.target.closest("[data-go], [data-ply]");
    if (!target) return;
    if (target.dataset.go !== "play") stop();
    target.dataset.go ? go[target.dataset.go]() : show(Number(target.dataset.ply));
  });
  film.addEventListener("keydown", (event) => {
    if (event.target === slider || !(event.key in keys)) return;
    event.preventDefault();
    stop();
    go[keys[event.key]]();
  });
  slider.max = last;
  slider.addEventListener("input", () => (stop(), show(Number(slider.value))));
  find(".us-controls").hidden = false;
  show(last);
});
