// The state of the page as the fragment of its address. Browsers do not send fragments to a server.

const KEY = "#p=";

const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/** A state as a fragment: JSON, deflated, in URL-safe base64. */
export async function write(state) {
  const text = new TextEncoder().encode(JSON.stringify(state));
  const packed = await through(text, new CompressionStream("deflate-raw"));
  const binary = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return KEY + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state of a fragment; `undefined` if it has none or a broken one. */
export async function read(fragment) {
  if (!fragment.startsWith(KEY)) return undefined;
  try {
    const binary = atob(fragment.slice(KEY.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"))));
    const isText = (value) => typeof value === "string";
    const isState = Object.values(state.files).every(isText) && state.deployers.every(isText);
    return isState && Object.keys(state.files).length > 0 ? state : undefined;
  } catch {
    return undefined;
  }
}
