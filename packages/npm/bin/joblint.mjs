#!/usr/bin/env node
// Runs the program of the platform's package.

import { spawnSync } from "node:child_process";
import { constants } from "node:os";
import { createRequire } from "node:module";

import { PLATFORMS, packageOf } from "./platforms.mjs";

const platform = `${process.platform}-${process.arch}`;

function program() {
  if (!(platform in PLATFORMS)) {
    throw new Error(`joblint has no package for ${platform}; see https://joblint.dev for other ways to install it`);
  }
  const suffix = process.platform === "win32" ? ".exe" : "";
  try {
    return createRequire(import.meta.url).resolve(`${packageOf(platform)}/bin/joblint${suffix}`);
  } catch {
    throw new Error(`${packageOf(platform)} is not installed; install joblint with optional dependencies`);
  }
}

try {
  const result = spawnSync(program(), process.argv.slice(2), { stdio: "inherit" });
  if (result.error) throw result.error;
  process.exitCode = result.status ?? 128 + (constants.signals[result.signal] ?? 0);
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 2;
}
