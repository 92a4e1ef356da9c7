-- joblint for Neovim 0.7 and later, with the built-in client: require("joblint").setup()
local M = {}

local names = { "Chart.yaml", "kustomization.yaml", ".joblint.yaml", ".git" }

--- The folder that the server works in: the repository around a file, else its own folder.
local function root(path)
  local folder = vim.fn.fnamemodify(path, ":p:h")
  local found = folder
  local previous
  while folder ~= previous do
    for _, name in ipairs(names) do
      if vim.fn.getftype(folder .. "/" .. name) ~= "" then
        found = folder
      end
    end
    if vim.fn.getftype(folder .. "/.git") ~= "" then
      break
    end
    previous, folder = folder, vim.fn.fnamemodify(folder, ":h")
  end
  return found
end

--- The rendered manifests of the current file, in a split; the cursor goes to the line that it makes.
function M.rendered()
  local params = vim.lsp.util.make_position_params()
  vim.lsp.buf_request(0, "joblint/rendered", params, function(err, result)
    if err or not result or result == vim.NIL then
      vim.notify(err and err.message or "This file is part of no chart or kustomization.")
      return
    end
    vim.cmd("vnew")
    local buffer = vim.api.nvim_get_current_buf()
    vim.api.nvim_buf_set_name(buffer, "joblint-rendered://" .. result.unit .. "/" .. result.view .. "#" .. buffer)
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(result.text, "\n"))
    vim.bo[buffer].buftype = "nofile"
    vim.bo[buffer].modifiable = false
    vim.bo[buffer].filetype = "yaml"
    if type(result.line) == "number" then
      vim.api.nvim_win_set_cursor(0, { result.line + 1, 0 })
    end
    vim.keymap.set("n", "gd", function()
      local origin = (result.origins[vim.api.nvim_win_get_cursor(0)[1]] or {})[1]
      if origin then
        vim.lsp.util.jump_to_location(origin, "utf-16")
      end
    end, { buffer = buffer, desc = "Go to what makes this line" })
  end)
end

--- Starts the server for YAML and Helm files. `options.cmd` names another command, `options.on_attach` is called for
--- each buffer.
function M.setup(options)
  options = options or {}
  local running = {}
  local function attach(buffer)
    local path = vim.api.nvim_buf_get_name(buffer)
    if path == "" or vim.bo[buffer].buftype ~= "" then
      return
    end
    local folder = root(path)
    running[folder] = running[folder]
      or vim.lsp.start_client({
        name = "joblint",
        cmd = options.cmd or { "joblint", "server" },
        root_dir = folder,
        workspace_folders = { { uri = vim.uri_from_fname(folder), name = folder } },
        on_attach = options.on_attach,
        on_exit = function()
          running[folder] = nil
        end,
      })
    if running[folder] then
      vim.lsp.buf_attach_client(buffer, running[folder])
    end
  end
  local group = vim.api.nvim_create_augroup("joblint", {})
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = { "yaml", "helm", "yaml.helm", "yaml.helm-values", "json", "gotmpl", "gohtmltmpl", "sh" },
    callback = function(event)
      attach(event.buf)
    end,
  })
  vim.api.nvim_create_user_command("JoblintRendered", M.rendered, {})
end

return M
