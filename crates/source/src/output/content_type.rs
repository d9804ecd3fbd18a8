//! Determines the content type of a file by its extension.

/// Returns the `Content-Type` with which a file is served.
pub fn content_type(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default();
    let text = |kind: &str| format!("{kind}; charset=utf-8");
    match extension.as_str() {
        "html" | "htm" => text("text/html"),
        "css" => text("text/css"),
        "js" | "mjs" => text("text/javascript"),
        "json" | "map" | "ipynb" => text("application/json"),
        "webmanifest" => text("application/manifest+json"),
        "svg" => text("image/svg+xml"),
        "xml" => text("application/xml"),
        "md" => text("text/markdown"),
        "png" | "jpeg" | "gif" | "webp" | "avif" => format!("image/{extension}"),
        "jpg" => "image/jpeg".to_owned(),
        "ico" => "image/x-icon".to_owned(),
        "woff" | "woff2" | "ttf" | "otf" => format!("font/{extension}"),
        "mp4" | "webm" => format!("video/{extension}"),
        "ogg" | "wav" => format!("audio/{extension}"),
        "mp3" => "audio/mpeg".to_owned(),
        "pdf" | "wasm" | "zip" => format!("application/{extension}"),
        "gz" => "application/gzip".to_owned(),
        extension if TEXT.contains(&extension) || TEXT_NAMES.contains(&name) => text("text/plain"),
        _ => "application/octet-stream".to_owned(),
    }
}

/// Extensions of text files that a browser shows as they are: starters, and files next to them.
const TEXT: [&str; 44] = [
    "txt", "py", "pyi", "cu", "cuh", "c", "h", "cc", "cpp", "cxx", "hpp", "rs", "go", "java", "ts", "tsx", "jsx", "rb",
    "swift", "kt", "cs", "zig", "sh", "bash", "zsh", "fish", "ps1", "yaml", "yml", "toml", "ini", "cfg", "conf", "csv",
    "tsv", "log", "sql", "proto", "tf", "cmake", "rst", "tex", "diff", "patch",
];
const TEXT_NAMES: [&str; 6] = ["Makefile", "Dockerfile", "Justfile", "LICENSE", "README", "CNAME"];

#[cfg(test)]
mod tests {
    use super::content_type;

    #[test]
    fn the_extension_decides() {
        let cases = [
            ("index.html", "text/html; charset=utf-8"),
            ("assets/A.CSS", "text/css; charset=utf-8"),
            ("a/llms.txt", "text/plain; charset=utf-8"),
            ("code/lab-01/kernel.cu", "text/plain; charset=utf-8"),
            ("code/lab-01/Makefile", "text/plain; charset=utf-8"),
            ("course.json", "application/json; charset=utf-8"),
            ("a.tar.gz", "application/gzip"),
            ("archive.d/data", "application/octet-stream"),
            ("a.bin", "application/octet-stream"),
            ("", "application/octet-stream"),
        ];
        for (path, wanted) in cases {
            assert_eq!(content_type(path), wanted, "{path}");
        }
    }
}
