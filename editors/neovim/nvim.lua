-- InfraLens in Neovim 0.11 or later.
-- In a course, this is the file `.nvim.lua`, which Neovim reads if `exrc` is set. It can as well be a part of `init.lua`.
vim.lsp.config("infralens", {
  cmd = { "infralens", "lsp" },
  filetypes = { "markdown", "yaml", "python", "c", "cpp", "cuda", "rust", "go", "javascript", "typescript" },
  root_markers = { "content/site.yaml" },
  workspace_required = true,
})
vim.lsp.enable("infralens")

-- Names and snippets are completed while you type: <C-n> selects one, and <C-y> takes it. Hints and lenses are shown.
vim.opt.completeopt = { "menuone", "noselect", "popup" }
vim.api.nvim_create_autocmd("LspAttach", {
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == "infralens" then
      -- The server asks for a list after signs such as `#` and `@`; with this line, Neovim also shows it after letters.
      vim.list_extend(client.server_capabilities.completionProvider.triggerCharacters, vim.split("abcdefghijklmnopqrstuvwxyz", ""))
      vim.lsp.completion.enable(true, client.id, event.buf, { autotrigger = true })
      vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
    end
  end,
})
vim.api.nvim_create_autocmd({ "LspAttach", "BufEnter", "InsertLeave" }, {
  callback = function(event)
    if #vim.lsp.get_clients({ bufnr = event.buf, name = "infralens" }) > 0 then
      vim.lsp.codelens.refresh({ bufnr = event.buf })
    end
  end,
})

-- A lens over a line of code opens the list of the notes that explain it.
vim.lsp.commands["infralens.showNotes"] = function(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local items = vim.lsp.util.locations_to_items(command.arguments[3], client and client.offset_encoding or "utf-16")
  vim.fn.setqflist({}, " ", { title = command.title, items = items })
  vim.cmd.copen()
end
