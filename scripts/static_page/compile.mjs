// Compiles the Python files in ZIP archives with Pyodide, so that browsers need not:
//
//   node compile.mjs RUNTIME ARCHIVE...
//
// RUNTIME is the folder with Pyodide's files. Each archive is overwritten.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const COMPILE = `
import io, zipfile
from importlib._bootstrap_external import _code_to_hash_pyc

def compiled(archive):
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive.to_py())) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith(".py"):
                code = compile(content, name, "exec", dont_inherit=True, optimize=0)
                name, content = name + "c", bytes(_code_to_hash_pyc(code, bytes(8), False))
            new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)
    return target.getvalue()

compiled
`;

const [runtime, ...archives] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${runtime}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${runtime}/` });
const compiled = python.runPython(COMPILE);
for (const archive of archives) {
  writeFileSync(archive, compiled(new Uint8Array(readFileSync(archive))).toJs());
}
process.exit(0);
