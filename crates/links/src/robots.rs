//! What a `robots.txt` allows this program to visit (RFC 9309).

use url::Url;

/// The name by which a host can address this program.
const NAME: &str = "infralens";

/// The rules for this program: whether they allow, and the pattern of the paths that they are for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules(Vec<(bool, String)>);

impl Rules {
    /// Reads the rules for this program, or those for all if none are for it.
    pub fn read(text: &str) -> Self {
        // The names of programs, and the rules for them.
        let mut groups: Vec<(Vec<&str>, Self)> = Vec::new();
        for line in text.trim_start_matches('\u{feff}').split(['\n', '\r']) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            match (key.as_str(), groups.last_mut()) {
                ("user-agent", Some((names, rules))) if rules.0.is_empty() => names.push(value),
                ("user-agent", _) => groups.push((vec![value], Self::default())),
                ("allow" | "disallow", Some((_, rules))) => rules.0.push((key == "allow", value.to_owned())),
                _ => {}
            }
        }
        let is_own = |name: &&str| {
            let end = name.find(|c: char| !(c.is_ascii_alphabetic() || "-_".contains(c)));
            name[..end.unwrap_or(name.len())].eq_ignore_ascii_case(NAME)
        };
        let has_own = groups.iter().any(|(names, _)| names.iter().any(is_own));
        let is_meant = |name: &&str| if has_own { is_own(name) } else { *name == "*" };
        let meant = groups.into_iter().filter(|(names, _)| names.iter().any(is_meant));
        Self(meant.flat_map(|(_, rules)| rules.0).collect())
    }

    /// Whether an address may be visited: the longest pattern decides, and of two the one that allows.
    pub fn allows(&self, url: &Url) -> bool {
        let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        let rules = self.0.iter().filter(|(_, pattern)| matches(pattern, &path));
        rules.map(|(allows, pattern)| (pattern.len(), *allows)).max().is_none_or(|(_, allows)| allows)
    }
}

/// Whether a path begins with a pattern, in which `*` stands for anything and `$` at the end for the end of the path. An empty
/// pattern is for nothing.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, is_whole) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    if pattern.is_empty() {
        return false;
    }
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return !is_whole || rest.is_empty() };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    if is_whole { rest.ends_with(last) } else { rest.contains(last) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(text: &str, path: &str) -> bool {
        Rules::read(text).allows(&Url::parse(&format!("https://a.example{path}")).unwrap())
    }

    #[test]
    fn the_rules_for_this_program_are_used_or_those_for_all() {
        let text = "# robots\nUser-agent: *\nDisallow: /\n\nUser-Agent: other\nUser-agent: InfraLens/1.0\nDisallow: /no # why\n";
        assert!(allows(text, "/") && !allows(text, "/no/x") && allows(text, "/yes"));
        assert!(!allows("User-agent: *\nDisallow: /\n", "/x"));
        assert!(allows("User-agent: other\nDisallow: /\n", "/x") && allows("", "/x") && allows("Disallow: /\n", "/x"));
        assert!(allows("User-agent: infralens\nDisallow:\nUser-agent: *\nDisallow: /\n", "/x"));
        let twice =
            "User-agent: infralens\nDisallow: /a\nUser-agent: x\nDisallow: /\nuser-agent: infralens\nDisallow: /b\n";
        assert!(!allows(twice, "/a") && !allows(twice, "/b") && allows(twice, "/c"));
    }

    #[test]
    fn the_longest_rule_decides() {
        let text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.pdf$\nDisallow: /x*y*z\nAllow: /same\nDisallow: /same\n";
        for (path, is_allowed) in [
            ("/a", false),
            ("/a/c", false),
            ("/a/b/c", true),
            ("/z.pdf", false),
            ("/z.pdf?x", true),
            ("/same", true),
            ("/x1y2z3", false),
            ("/xzy", true),
            ("/X1y2z3", true),
        ] {
            assert_eq!(allows(text, path), is_allowed, "{path}");
        }
        assert!(
            !allows("User-agent: *\nDisallow: /s?q=\n", "/s?q=1") && allows("User-agent: *\nDisallow: /s?q=\n", "/s")
        );
        assert!(!allows("User-agent: *\nDisallow: *\n", "/s") && !allows("User-agent: *\nDisallow: /$\n", "/"));
        assert!(allows("User-agent: *\nDisallow: /$\n", "/s"));
    }
}
