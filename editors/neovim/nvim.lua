-- InfraLens in Neovim 0.11 or later.
-- In a course, this is the file `.nvim.lua`, which Neovim reads if `exrc` is set. It can as well be a part of `init.lua`.
vim.lsp.config("infralens", {
  cmd = { "infralens", "lsp" },
  filetypes = { "markdown", "yaml", "python", "c", "cpp", "cuda", "rust", "go", "javascript", "typescript" },
  root_markers = { "content/site.yaml" },
  workspace_required = true,
})
vim.lsp.enable("infralens")

-- A lens over a line of code opens the list of the notes that explain it.
vim.lsp.commands["infralens.showNotes"] = function(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local items = vim.lsp.util.locations_to_items(command.arguments[3], client and client.offset_encoding or "utf-16")
  vim.fn.setqflist({}, " ", { title = command.title, items = items })
  vim.cmd.copen()
end
