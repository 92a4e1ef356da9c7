//! Neovim, headless, with the settings of `editors/neovim`: diagnostics, a code action that is applied, and hover.
//! Opt-in: `cargo test --test it neovim -- --ignored`. Without `nvim` it only says so.

use std::{fs, path::Path, process::Command};

use super::diagnostics::ALWAYS;
use crate::support::{joblint, tree};

const SCRIPT: &str = r#"
local function wait(what, ready)
  assert(vim.wait(30000, ready, 50), what .. " does not come")
end
vim.opt.runtimepath:append(vim.env.JOBLINT_NEOVIM)
vim.cmd("filetype on")
require("joblint").setup({ cmd = { vim.env.JOBLINT, "server" } })
vim.cmd("edit job.yaml")
wait("a diagnostic", function() return #vim.diagnostic.get(0) == 1 end)
local found = vim.diagnostic.get(0)[1]
local out = { "code " .. found.code, "line " .. found.lnum }
vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
local params = vim.lsp.util.make_position_params()
local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", params, 30000)
for _, answer in pairs(hover) do
  table.insert(out, "hover " .. vim.split(answer.result.contents.value, "\n")[1])
end
local range = vim.lsp.util.make_range_params()
range.context = { diagnostics = {}, only = { "quickfix" } }
for _, answer in pairs(vim.lsp.buf_request_sync(0, "textDocument/codeAction", range, 30000)) do
  for _, action in ipairs(answer.result) do
    if action.title:find("review it", 1, true) then
      vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
      break
    end
  end
end
wait("the fix", function() return #vim.diagnostic.get(0) == 0 end)
vim.cmd("silent write")
vim.fn.writefile(out, "found.txt")
vim.cmd("qall!")
"#;

#[test]
#[ignore = "needs Neovim"]
fn neovim_shows_and_fixes_a_finding() {
    if Command::new("nvim").arg("--version").output().is_err() {
        eprintln!("skipped: there is no nvim");
        return;
    }
    let folder = tree(&[("job.yaml", ALWAYS), ("script.lua", SCRIPT)]);
    let settings = Path::new("editors/neovim").canonicalize().unwrap();
    let status = Command::new("nvim")
        .args(["--headless", "--clean", "-n", "-c", "luafile script.lua", "-c", "cquit"])
        .env("JOBLINT", joblint(folder.path(), &[]).get_program())
        .env("JOBLINT_NEOVIM", settings)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
    let found = fs::read_to_string(folder.path().join("found.txt")).unwrap();
    assert_eq!(found, "code restart-policy-always\nline 8\nhover ### restart-policy-always\n");
    let fixed = fs::read_to_string(folder.path().join("job.yaml")).unwrap();
    assert_eq!(fixed, ALWAYS.replace("Always", "Never"));
}
