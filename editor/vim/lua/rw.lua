-- rw-lsp in Neovim, 0.7 and later. The file type's settings call attach(); setup() changes what it starts:
--
--   require('rw').setup({ cmd = { '/opt/rw/bin/rw-lsp' }, settings = { model = 'model.onnx' } })
local M = {}

M.options = { cmd = { 'rw-lsp' }, settings = {} }

-- Clients by the folder that they work in.
local clients = {}

function M.setup(options)
  M.options = vim.tbl_deep_extend('force', M.options, options or {})
end

-- The folder of the project that a file belongs to: the nearest with a .git, else its own.
local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ':p:h')
  local git = vim.fn.finddir('.git', folder .. ';')
  return git ~= '' and vim.fn.fnamemodify(git, ':p:h:h') or folder
end

-- Gives the buffer a server, one for each project. Nothing happens where the program is not there.
function M.attach(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  if vim.fn.executable(M.options.cmd[1]) == 0 then
    return
  end
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  local id = clients[root]
  if not id or vim.lsp.client_is_stopped(id) then
    id = vim.lsp.start_client({
      name = 'rw-lsp',
      cmd = M.options.cmd,
      root_dir = root,
      init_options = M.options.settings,
      workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    })
    clients[root] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

return M
