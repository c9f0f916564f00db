// A page opened from disk may start no Worker, so that the search would not work there. This one runs the script in a
// hidden frame. Its name keeps the theme from asking another host for one of its own.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
      const script = frame.contentDocument.createElement("script");
      script.src = url;
      this.inside = new Promise((ready) => { script.onload = () => ready(inside); });
      frame.contentDocument.body.append(script);
    }
    postMessage(data) {
      this.inside.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }
  };
}
