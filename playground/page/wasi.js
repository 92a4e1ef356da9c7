// The part of WASI that joblint uses: files in memory, standard streams, a clock, random numbers. Nothing else exists
// for the module: no network, no other file.

const SUCCESS = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOSYS = 52, NOTDIR = 54, ROFS = 69;
const FOLDER = 3, FILE = 4, STREAM = 2;
const ROOT = 3; // the first descriptor after the standard streams: the folder that the module may read

class Exit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A tree of folders (`Map`) and files (`Uint8Array`) from texts by path. */
function tree(files) {
  const root = new Map();
  for (const [path, text] of Object.entries(files)) {
    const names = path.split("/").filter((name) => name !== "" && name !== "." && name !== "..");
    const last = names.pop();
    let folder = root;
    for (const name of names) {
      if (!(folder.get(name) instanceof Map)) folder.set(name, new Map());
      folder = folder.get(name);
    }
    if (last !== undefined) folder.set(last, encoder.encode(text));
  }
  return root;
}

/** The file or folder at a path below a folder; `undefined` if there is none. */
function at(root, path) {
  const above = [root];
  for (const name of path.split("/")) {
    const here = above[above.length - 1];
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (above.length > 1) above.pop();
      continue;
    }
    const next = here instanceof Map ? here.get(name) : undefined;
    if (next === undefined) return undefined;
    above.push(next);
  }
  return above[above.length - 1];
}

/**
 * Runs a module on files with a text as standard input. Returns what it prints on standard output.
 * Throws if the module stops early; the message then has its standard error.
 */
export async function run(module, files, input) {
  const root = tree(files);
  const open = new Map([[ROOT, { node: root, offset: 0 }]]);
  const output = { 1: [], 2: [] };
  const stdin = { node: encoder.encode(input), offset: 0 };
  let next = ROOT + 1;
  let memory;
  const view = () => new DataView(memory.buffer);
  const bytes = (start, length) => new Uint8Array(memory.buffer, start, length);
  const text = (start, length) => decoder.decode(bytes(start, length));
  const kindOf = (node) => (node instanceof Map ? FOLDER : FILE);

  /** Calls `use` for each buffer of a vector until it returns less than the buffer holds. */
  const vector = (start, count, total, use) => {
    let sum = 0;
    for (let index = 0; index < count; index++) {
      const length = view().getUint32(start + 8 * index + 4, true);
      const used = use(bytes(view().getUint32(start + 8 * index, true), length));
      sum += used;
      if (used < length) break;
    }
    view().setUint32(total, sum, true);
    return SUCCESS;
  };
  const read = (source, buffer) => {
    const part = source.node.subarray(source.offset, source.offset + buffer.length);
    buffer.set(part);
    source.offset += part.length;
    return part.length;
  };
  const stat = (node, to) => {
    bytes(to, 64).fill(0);
    view().setUint8(to + 16, kindOf(node));
    view().setBigUint64(to + 24, 1n, true);
    view().setBigUint64(to + 32, BigInt(node instanceof Map ? 0 : node.length), true);
    return SUCCESS;
  };

  const known = {
    args_sizes_get: (count, size) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), SUCCESS),
    args_get: () => SUCCESS,
    environ_sizes_get: (count, size) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), SUCCESS),
    environ_get: () => SUCCESS,
    proc_exit: (code) => {
      throw new Exit(code);
    },
    sched_yield: () => SUCCESS,
    clock_time_get: (clock, _precision, to) => {
      const now = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(to, BigInt(Math.round(now * 1e6)), true);
      return SUCCESS;
    },
    random_get: (start, length) => {
      for (let from = 0; from < length; from += 65536) {
        crypto.getRandomValues(bytes(start + from, Math.min(65536, length - from)));
      }
      return SUCCESS;
    },
    fd_prestat_get: (fd, to) => {
      if (fd !== ROOT) return BADF;
      view().setUint32(to, 0, true);
      view().setUint32(to + 4, 1, true);
      return SUCCESS;
    },
    fd_prestat_dir_name: (_fd, start) => (bytes(start, 1).set(encoder.encode("/")), SUCCESS),
    fd_fdstat_get: (fd, to) => {
      const own = open.get(fd);
      if (!own && fd > 2) return BADF;
      bytes(to, 24).fill(0);
      view().setUint8(to, own ? kindOf(own.node) : STREAM);
      view().setBigUint64(to + 8, 0xffffffffffffffffn, true);
      view().setBigUint64(to + 16, 0xffffffffffffffffn, true);
      return SUCCESS;
    },
    fd_filestat_get: (fd, to) => (open.has(fd) ? stat(open.get(fd).node, to) : BADF),
    path_filestat_get: (fd, _flags, start, length, to) => {
      const node = open.has(fd) ? at(open.get(fd).node, text(start, length)) : undefined;
      return node === undefined ? NOENT : stat(node, to);
    },
    path_readlink: () => INVAL,
    path_open: (fd, _follow, start, length, flags, _rights, _inherited, _fdFlags, to) => {
      const [creates, wantsFolder, truncates] = [flags & 1, flags & 2, flags & 8];
      const node = open.has(fd) ? at(open.get(fd).node, text(start, length)) : undefined;
      if (creates || truncates) return ROFS;
      if (node === undefined) return NOENT;
      if (wantsFolder && !(node instanceof Map)) return NOTDIR;
      open.set(next, { node, offset: 0 });
      view().setUint32(to, next++, true);
      return SUCCESS;
    },
    fd_close: (fd) => (open.delete(fd) ? SUCCESS : BADF),
    fd_read: (fd, start, count, total) => {
      const source = fd === 0 ? stdin : open.get(fd);
      if (!source) return BADF;
      if (source.node instanceof Map) return ISDIR;
      return vector(start, count, total, (buffer) => read(source, buffer));
    },
    fd_seek: (fd, offset, whence, to) => {
      const own = open.get(fd);
      if (!own || own.node instanceof Map) return BADF;
      own.offset = Number(offset) + [0, own.offset, own.node.length][whence];
      view().setBigUint64(to, BigInt(own.offset), true);
      return SUCCESS;
    },
    fd_write: (fd, start, count, total) => {
      if (!output[fd]) return BADF;
      return vector(start, count, total, (buffer) => (output[fd].push(buffer.slice()), buffer.length));
    },
    fd_readdir: (fd, start, length, cookie, used) => {
      const folder = open.get(fd)?.node;
      if (!(folder instanceof Map)) return NOTDIR;
      let at = 0;
      for (const [index, [name, node]] of [...folder].entries()) {
        if (BigInt(index) < cookie) continue;
        const title = encoder.encode(name);
        const entry = new Uint8Array(24 + title.length);
        const head = new DataView(entry.buffer);
        head.setBigUint64(0, BigInt(index + 1), true);
        head.setBigUint64(8, BigInt(index + 1), true);
        head.setUint32(16, title.length, true);
        head.setUint8(20, kindOf(node));
        entry.set(title, 24);
        const part = entry.subarray(0, length - at);
        bytes(start + at, part.length).set(part);
        at += part.length;
        if (at === length) break;
      }
      view().setUint32(used, at, true);
      return SUCCESS;
    },
    path_create_directory: () => EXIST,
  };
  const wasi = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from === "wasi_snapshot_preview1") wasi[name] = known[name] ?? (() => NOSYS);
  }
  const printed = (fd) => decoder.decode(new Uint8Array(output[fd].flatMap((part) => [...part])));
  try {
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi });
    memory = instance.exports.memory;
    instance.exports._start();
  } catch (error) {
    if (!(error instanceof Exit) || error.code !== 0) throw new Error(printed(2).trim() || String(error));
  }
  return printed(1);
}
