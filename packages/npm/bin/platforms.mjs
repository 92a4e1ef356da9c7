// The platforms with a package of their own, as Node names them, and the targets of Rust.

export const PLATFORMS = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
  "win32-x64": "x86_64-pc-windows-msvc",
};

export function packageOf(platform) {
  return `@joblint/${platform}`;
}

export function platformOf(target) {
  const platform = Object.keys(PLATFORMS).find((one) => PLATFORMS[one] === target);
  if (!platform) throw new Error(`no platform has the target ${target}`);
  return platform;
}
