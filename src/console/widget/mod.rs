//! Small pieces that the panes are made of.

pub mod gauge;
pub mod lane;
pub mod list;
pub mod pen;
pub mod spark;
pub mod text;
