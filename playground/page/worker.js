// Runs joblint off the page's thread. Each message is one question; a new instance of the module answers it.

import { run } from "./wasi.js";

async function compiled() {
  const response = await fetch(new URL("joblint.wasm", import.meta.url));
  if (!response.ok) throw new Error(`joblint.wasm: ${response.status}`);
  const isWasm = response.headers.get("content-type")?.startsWith("application/wasm");
  return isWasm ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

const module = compiled();

onmessage = async ({ data: { id, files, deployers } }) => {
  try {
    const start = performance.now();
    const text = await run(await module, files, JSON.stringify({ deployers }));
    postMessage({ id, answer: JSON.parse(text), milliseconds: performance.now() - start });
  } catch (error) {
    const isDeep = error instanceof RangeError || String(error).includes("call stack");
    postMessage({ id, answer: { error: isDeep ? "the templates go too deep for a browser" : error.message } });
  }
};

module.then(() => postMessage({ ready: true }), (error) => postMessage({ failed: error.message }));
