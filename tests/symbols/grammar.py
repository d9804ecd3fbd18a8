"""The definitions of a source file as tree-sitter's grammars find them."""

import importlib

import tree_sitter

# For each extension: the package of the grammar and the function in it that returns it.
GRAMMARS = {
    "py": ("tree_sitter_python", "language"),
    "rs": ("tree_sitter_rust", "language"),
    "c": ("tree_sitter_c", "language"),
    "cc": ("tree_sitter_cpp", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "hpp": ("tree_sitter_cpp", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "js": ("tree_sitter_javascript", "language"),
    "mjs": ("tree_sitter_javascript", "language"),
    "cjs": ("tree_sitter_javascript", "language"),
    "jsx": ("tree_sitter_javascript", "language"),
    "ts": ("tree_sitter_typescript", "language_typescript"),
    "mts": ("tree_sitter_typescript", "language_typescript"),
    "cts": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "sh": ("tree_sitter_bash", "language"),
}

DEFINITIONS = {
    "function_definition", "class_definition",  # Python, C, C++, Bash
    "function_item", "struct_item", "enum_item", "union_item", "trait_item", "macro_definition",  # Rust
    "struct_specifier", "class_specifier", "union_specifier", "enum_specifier",  # C, C++
    "function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration",
    "method_definition", "interface_declaration", "enum_declaration",  # JavaScript, TypeScript, Java, Go
    "method_declaration", "constructor_declaration", "record_declaration", "type_spec",  # Java, Go
}
FUNCTIONS = {"function_expression", "generator_function", "arrow_function", "class"}
# Nodes around a definition that belong to it.
AROUND = {"decorated_definition", "export_statement", "template_declaration", "type_definition", "declaration",
          "lexical_declaration", "variable_declaration", "type_declaration", "linkage_specification"}
NAMES = {"identifier", "type_identifier", "field_identifier", "property_identifier", "private_property_identifier",
         "word", "destructor_name", "operator_name"}

_parsers = {}


def parser(extension):
    """Returns the parser for files with this extension."""
    if extension not in _parsers:
        package, function = GRAMMARS[extension]
        language = tree_sitter.Language(getattr(importlib.import_module(package), function)())
        _parsers[extension] = tree_sitter.Parser(language)
    return _parsers[extension]


def definitions(extension, source):
    """Yields the name, the line of the name, the first and the last line of each definition, from 1."""
    tree = parser(extension).parse(source)
    stack = [tree.root_node]
    while stack:
        node = stack.pop()
        stack.extend(reversed(node.children))
        found = definition(node)
        if not found or node.has_error:
            continue
        whole, name = found
        text = source[name.start_byte:name.end_byte].decode("utf-8", "replace").lstrip("#")
        yield text.removeprefix("r#"), name.start_point[0] + 1, whole.start_point[0] + 1, last_line(node) + 1


def last_line(node):
    row, column = node.end_point
    return row - 1 if column == 0 else row


def definition(node):
    """Returns the node of a definition with what belongs to it, and the node of its name."""
    if node.type == "variable_declarator" and (value := node.child_by_field_name("value")):
        name = node.child_by_field_name("name")
        is_function = value.type in FUNCTIONS and (value.type == "class" or braces(value))
        if not is_function or name.type != "identifier":
            return None
        return outermost(node), name
    if node.type not in DEFINITIONS:
        return None
    if node.type.endswith("_specifier") and not node.child_by_field_name("body"):
        return None
    name = node.child_by_field_name("name")
    declarator = node.child_by_field_name("declarator")
    while declarator and not name:
        if declarator.type in NAMES:
            name = declarator
        inner = declarator.child_by_field_name("declarator")
        if not inner and declarator.type == "qualified_identifier":
            inner = declarator.child_by_field_name("name")
        if not inner and declarator.type in ("reference_declarator", "parenthesized_declarator"):
            inner = next((child for child in declarator.named_children), None)
        declarator = inner
    while name and name.type in ("qualified_identifier", "template_type", "template_function"):
        name = name.child_by_field_name("name")
    if not name or name.type not in NAMES:
        return None
    return outermost(node), name


def braces(function):
    body = function.child_by_field_name("body")
    return body and body.type == "statement_block"


def outermost(node):
    while node.parent and node.parent.type in AROUND:
        node = node.parent
    return node
