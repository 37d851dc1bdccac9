//! The console: one queue of events, one pure update, one pure drawing, one executor.
//!
//! Keys become [`event::Event`]s, [`update::update`] changes the [`model::Model`] and answers with
//! [`effect::Effect`]s, the executor runs them through a [`backend::Backend`] and posts the
//! replies. What is shown after a write came back from the store.

pub mod backend;
pub mod commands;
pub mod effect;
pub mod event;
pub mod executor;
pub mod fake;
pub mod filter;
pub mod form;
pub mod keymap;
mod known;
pub mod model;
mod overlay;
pub mod pane;
mod run;
pub mod session;
pub mod sort;
mod terminal;
pub mod theme;
pub mod update;
pub mod vault;
pub mod view;
pub mod widget;
mod worker;

pub use backend::{
    Backend, Change, Changes, Known, Page, PageWant, PaneKind, Snapshot, Sort, Want,
};
pub use run::{Options, run};
