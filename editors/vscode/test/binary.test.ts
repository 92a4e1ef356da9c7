import assert from "node:assert";
import { test } from "node:test";
import { findBinary } from "../src/binary";

const places = { setting: "", folders: ["/home/ada/shop"], extension: "/ext", platform: "linux" as const };

test("the setting wins", () => {
  assert.equal(findBinary({ ...places, setting: "/opt/joblint" }, () => true), "/opt/joblint");
});

test("a virtual environment comes before the bundled binary", () => {
  assert.equal(findBinary(places, () => true), "/home/ada/shop/.venv/bin/joblint");
  assert.equal(findBinary(places, (path) => path.startsWith("/ext")), "/ext/bin/joblint");
});

test("the name is left to PATH", () => {
  assert.equal(findBinary(places, () => false), "joblint");
  assert.equal(findBinary({ ...places, platform: "win32" }, () => false), "joblint.exe");
});
