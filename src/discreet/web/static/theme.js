// Theme: light, dark or as the system has it, kept in localStorage. It runs before the first paint, so nothing flashes.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");

  function chosen() {
    try {
      return localStorage.getItem("theme") ?? "auto";
    } catch {
      return "auto"; // storage may be forbidden
    }
  }

  function apply() {
    const theme = chosen();
    document.documentElement.dataset.theme = theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
  }

  function choose(theme) {
    try {
      localStorage.setItem("theme", theme);
    } catch {
      document.documentElement.dataset.theme = theme;
    }
    apply();
  }

  apply();
  dark.addEventListener("change", apply);
  addEventListener("storage", apply);
  addEventListener("DOMContentLoaded", () => {
    for (const input of document.querySelectorAll("input[name=theme]")) {
      input.checked = input.value === chosen();
      input.addEventListener("change", () => choose(input.value));
    }
  });
})();
