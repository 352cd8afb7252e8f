//! Small traces of every kind of event.
