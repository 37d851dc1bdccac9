//! Placeholder until the schemas are generated.
/// One schema.
pub struct Schema { /// Name.
 pub name: &'static str, /// Text.
 pub text: String }
/// All.
pub fn all() -> Vec<Schema> { Vec::new() }
