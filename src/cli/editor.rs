//! `infralens editor`: prints or writes the files with which an editor uses the language server.

use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::{Common, Outcome, Status, print};
use crate::emit;
use infralens_source::change::Change;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The editor
    name: Editor,
    /// Write the files into the course, where the editor reads them; a file that is there already and differs is not changed
    #[arg(long)]
    write: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Editor {
    /// Settings for `.vscode/settings.json`; the language client is the extension in `editors/vscode`
    Vscode,
    /// Lua for `.nvim.lua`, or for `init.lua`
    Neovim,
    /// `.helix/languages.toml`
    Helix,
    /// An extension for `zed: install dev extension`
    Zed,
    /// `.dir-locals.el`, for eglot
    Emacs,
}

impl Editor {
    /// Returns the files that the editor needs, with their paths from the course's root.
    fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Vscode => &[(".vscode/settings.json", include_str!("../../editors/vscode/settings.json"))],
            Self::Neovim => &[(".nvim.lua", include_str!("../../editors/neovim/nvim.lua"))],
            Self::Helix => &[(".helix/languages.toml", include_str!("../../editors/helix/languages.toml"))],
            Self::Zed => &[
                (".zed/infralens/extension.toml", include_str!("../../editors/zed/extension.toml")),
                (".zed/infralens/Cargo.toml", include_str!("../../editors/zed/Cargo.toml")),
                (".zed/infralens/src/lib.rs", include_str!("../../editors/zed/src/lib.rs")),
            ],
            Self::Emacs => &[(".dir-locals.el", include_str!("../../editors/emacs/dir-locals.el"))],
        }
    }
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let files = options.name.files();
    if options.write {
        let root = common.root()?;
        let create = |&(path, text): &(&str, &str)| Change::Create { path: Arc::from(path), text: text.to_owned() };
        emit::change(&root, &files.iter().map(create).collect::<Vec<_>>())?;
        for (path, _) in files {
            print(&format!("wrote {path}\n"))?;
        }
        return Ok(Status::Done);
    }
    for (path, text) in files {
        // One file is printed as it is, so that it can be appended to the editor's own settings.
        if files.len() > 1 {
            print(&format!("==> {path} <==\n"))?;
        }
        print(text)?;
    }
    Ok(Status::Done)
}
