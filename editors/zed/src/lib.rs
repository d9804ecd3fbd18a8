//! Tells Zed how the language server of InfraLens is started.

use zed_extension_api::{Command, Extension, LanguageServerId, Result, Worktree, register_extension};

struct InfraLens;

impl Extension for InfraLens {
    fn new() -> Self {
        Self
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree.which("infralens").ok_or("there is no `infralens` in your PATH")?;
        Ok(Command { command, args: vec!["lsp".to_owned()], env: worktree.shell_env() })
    }
}

register_extension!(InfraLens);
