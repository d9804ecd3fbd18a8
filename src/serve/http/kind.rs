//! Content types, by the ending of a file's name.

/// The `Content-Type` of a file.
pub(super) fn content_type(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref().unwrap_or_default() {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" | "map" | "ipynb" => "application/json; charset=utf-8",
        "webmanifest" => "application/manifest+json; charset=utf-8",
        "svg" => "image/svg+xml; charset=utf-8",
        "xml" => "application/xml; charset=utf-8",
        "md" => "text/markdown; charset=utf-8",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "pdf" => "application/pdf",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "mp3" => "audio/mpeg",
        "ogg" => "audio/ogg",
        "wav" => "audio/wav",
        "wasm" => "application/wasm",
        "zip" => "application/zip",
        "gz" => "application/gzip",
        ending if TEXT.contains(&ending) => "text/plain; charset=utf-8",
        _ if TEXT_NAMES.contains(&name) => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Endings of texts that a browser shows as they are: the starters of courses, and what lies beside them.
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
    fn the_ending_of_the_name_decides() {
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
