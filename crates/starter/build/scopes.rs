//! Maps scopes, the names that syntax definitions give to text, to the codes of highlighting classes.
//!
//! The rule with the longest matching prefix of whole atoms decides. A scope without a rule inherits the class around it: the
//! quotes of a string are highlighted as string, the marks of a comment as comment. Embedded code starts as plain text.

use super::class::{CODE_ONLY, Class, INHERIT, OPERATOR, STRING};

const fn is(class: Class) -> u8 {
    class as u8
}

const RULES: &[(&str, u8)] = &[
    ("source", is(Class::Text)),
    ("source.regexp", INHERIT),
    ("source.sql", INHERIT),
    ("text", is(Class::Prose)),
    ("text.html.javadoc", INHERIT),
    ("comment", is(Class::Comment)),
    ("comment.block.documentation.python", is(Class::String)),
    ("string", STRING),
    ("constant", is(Class::Number)),
    ("constant.character", is(Class::Escape)),
    ("constant.other.placeholder", is(Class::Escape)),
    ("constant.other.format-spec", is(Class::Escape)),
    ("constant.other.character-class", INHERIT),
    ("constant.other.language-name", is(Class::Type)),
    ("keyword", is(Class::Keyword)),
    ("keyword.operator", OPERATOR),
    ("keyword.control.flow.block-scalar", OPERATOR),
    ("keyword.control.flow.alias", OPERATOR),
    ("keyword.control.property.anchor", OPERATOR),
    ("keyword.control.conditional.patterns.end", OPERATOR),
    ("storage", is(Class::Keyword)),
    ("storage.type.c", is(Class::Type)),
    ("storage.type.function.arrow", OPERATOR),
    ("storage.type.numeric", is(Class::Number)),
    ("storage.type.string", STRING),
    ("storage.type.tag-handle", is(Class::Type)),
    ("storage.modifier.lifetime", is(Class::Type)),
    ("storage.modifier.conversion", is(Class::Escape)),
    ("entity", is(Class::Text)),
    ("entity.name.function", is(Class::Function)),
    ("entity.name.class", is(Class::Type)),
    ("entity.name.struct", is(Class::Type)),
    ("entity.name.union", is(Class::Type)),
    ("entity.name.enum", is(Class::Type)),
    ("entity.name.type", is(Class::Type)),
    ("entity.name.trait", is(Class::Type)),
    ("entity.name.impl", is(Class::Type)),
    ("entity.name.interface", is(Class::Type)),
    ("entity.name.namespace", is(Class::Type)),
    ("entity.name.table", is(Class::Type)),
    ("entity.name.constant", is(Class::Number)),
    ("entity.name.macro", is(Class::Function)),
    ("entity.name.section", is(Class::Heading)),
    ("entity.name.tag", is(Class::Tag)),
    ("entity.name.tag.yaml", is(Class::Key)),
    ("entity.name.tag.toml", is(Class::Key)),
    ("entity.other.attribute-name", is(Class::Key)),
    ("entity.other.inherited-class", is(Class::Type)),
    ("variable", is(Class::Text)),
    ("variable.function", is(Class::Function)),
    ("variable.annotation", is(Class::Function)),
    ("support", is(Class::Type)),
    ("support.function", is(Class::Function)),
    ("support.function.builtin", is(Class::Type)),
    ("support.macro", is(Class::Function)),
    ("support.constant", is(Class::Number)),
    ("support.variable", is(Class::Text)),
    ("support.type.property-name", is(Class::Key)),
    ("support.other", is(Class::Text)),
    ("punctuation", is(Class::Punctuation)),
    ("punctuation.definition.comment", INHERIT),
    ("punctuation.definition.string", STRING),
    ("punctuation.definition.raw", is(Class::String)),
    ("punctuation.definition.raw.code-fence", is(Class::Punctuation)),
    ("punctuation.definition.heading", INHERIT),
    ("punctuation.definition.bold", INHERIT),
    ("punctuation.definition.italic", INHERIT),
    ("punctuation.definition.inserted", INHERIT),
    ("punctuation.definition.deleted", INHERIT),
    ("punctuation.definition.from-file", INHERIT),
    ("punctuation.definition.to-file", INHERIT),
    ("punctuation.definition.range", INHERIT),
    ("punctuation.definition.annotation", is(Class::Function)),
    ("punctuation.definition.variable", is(Class::Text)),
    ("punctuation.definition.parameter", is(Class::Text)),
    ("punctuation.definition.placeholder", INHERIT),
    ("punctuation.definition.numeric", INHERIT),
    ("punctuation.definition.entity", INHERIT),
    ("punctuation.definition.character-class", INHERIT),
    ("punctuation.definition.keyword", INHERIT),
    ("punctuation.definition.directive", INHERIT),
    ("punctuation.separator.decimal", INHERIT),
    ("punctuation.terminator.entity", INHERIT),
    ("markup.heading", is(Class::Heading)),
    ("markup.bold", is(Class::Strong)),
    ("markup.italic", is(Class::Emphasis)),
    ("markup.raw.inline", is(Class::String)),
    ("markup.raw.block", is(Class::Text)),
    ("markup.raw.code-fence", is(Class::Text)),
    ("markup.underline.link", is(Class::String)),
    ("markup.list.numbered.bullet", is(Class::Punctuation)),
    ("markup.inserted", is(Class::Inserted)),
    ("markup.deleted", is(Class::Deleted)),
    ("meta.diff.header", is(Class::Heading)),
    ("meta.diff.range", is(Class::Heading)),
    ("meta.jsx", is(Class::Prose)),
    ("meta.interpolation", is(Class::Text)),
    ("meta.template.expression", is(Class::Text)),
    ("meta.embedded", is(Class::Text)),
    ("meta.group.expansion", is(Class::Text)),
    ("meta.mapping.key.json", is(Class::Key)),
    ("meta.function.parameters.annotation.python", is(Class::Type)),
    ("meta.function.annotation.return.python", is(Class::Type)),
];

/// Returns the class code for text in a scope.
pub fn code(scope: &str) -> u8 {
    if scope.ends_with(".regexp") && !scope.starts_with("string") {
        return in_regexp(scope);
    }
    let fits = |prefix: &str| scope.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let rule = RULES.iter().filter(|(prefix, _)| fits(prefix)).max_by_key(|(prefix, _)| prefix.len());
    match rule {
        // CUDA's patterns also match in the comments and strings of C++, and SQL's inside strings.
        Some(&(_, class)) if class < CODE_ONLY && [".cuda", ".sql"].iter().any(|end| scope.ends_with(end)) => {
            CODE_ONLY + class
        }
        Some(&(_, code)) => code,
        None => INHERIT,
    }
}

/// Returns the class code inside a regular expression: text stays a string, and special characters stand out.
fn in_regexp(scope: &str) -> u8 {
    match scope.split('.').next() {
        Some("keyword") => is(Class::Escape),
        Some("constant") if scope.starts_with("constant.character") => is(Class::Escape),
        Some("comment") => is(Class::Comment),
        _ => INHERIT,
    }
}
