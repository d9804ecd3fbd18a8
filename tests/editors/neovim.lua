-- What an author does in Neovim: opens a lab, sees a mistake, has it fixed, asks what is behind a name.
local page = vim.env.INFRALENS_PAGE

local function check(is_right, what)
  if not is_right then
    io.stderr:write("neovim.lua: " .. what .. "\n" .. vim.inspect(vim.diagnostic.get(0)) .. "\n")
    os.exit(1)
  end
end

local function wait(what, is_done)
  check(vim.wait(60000, is_done, 20), "waited in vain: " .. what)
end

dofile(".nvim.lua")
vim.cmd.edit(page)
vim.bo.filetype = "markdown"
vim.api.nvim_exec_autocmds("FileType", { pattern = "markdown" })
wait("the server", function() return #vim.lsp.get_clients({ bufnr = 0, name = "infralens" }) == 1 end)
local client = vim.lsp.get_clients({ bufnr = 0, name = "infralens" })[1]
wait("its answer to hello", function() return client.initialized end)

local function ask(method, line, column)
  local params = { textDocument = vim.lsp.util.make_text_document_params(0), position = { line = line, character = column } }
  local answer = client:request_sync(method, params, 60000, 0)
  check(answer and not answer.err, method .. ": " .. vim.inspect(answer))
  return answer.result
end

local fence
for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
  fence = fence or (line:find("^```.*#") and number)
end
local line = vim.api.nvim_buf_get_lines(0, fence - 1, fence, false)[1]
local column = line:find("#") + 1
local hover = ask("textDocument/hover", fence - 1, column)
check(hover and hover.contents.value:find("~~~~"), "hover: " .. vim.inspect(hover))
check(#ask("textDocument/inlayHint", 0, 0) > 0, "inlay hints")

-- A letter too many, after a character that counts twice in the protocol.
vim.api.nvim_buf_set_text(0, fence - 1, #line, fence - 1, #line, { " caption=\"\u{1f600}\" flie=x" })
local function errors()
  return vim.tbl_filter(function(one) return one.message:find("flie") end, vim.diagnostic.get(0))
end
wait("an error", function() return #errors() == 1 end)
local error = errors()[1]
check(error.lnum == fence - 1, "the error is in another line")
local changed = vim.api.nvim_buf_get_lines(0, fence - 1, fence, false)[1]
check(changed:sub(error.col + 1, error.end_col) == "flie", "the error is at another place")
vim.api.nvim_buf_set_text(0, fence - 1, #line, fence - 1, #changed, { "" })
wait("no error", function() return #errors() == 0 end)
check(vim.api.nvim_buf_get_lines(0, fence - 1, fence, false)[1] == line, "the text is as it was")
client:stop()
wait("the end of the server", function() return client:is_stopped() end)
os.exit(0)
