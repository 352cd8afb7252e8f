//! A picture: shapes in the order in which they are painted, in pixels from the top left corner.
//!
//! Views make pictures; [`super::svg`] and [`super::png`] write them, each from the same shapes.

use crate::color::Color;

/// A drawing of a given size.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    pub width: f64,
    pub height: f64,
    /// What the picture shows, for those who cannot see it.
    pub title: String,
    pub items: Vec<Item>,
}

/// A shape with its paint.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub shape: Shape,
    pub fill: Option<Color>,
    pub stroke: Option<Stroke>,
    /// 0 shows nothing, 1 hides what lies below.
    pub opacity: f64,
    /// What a reader sees when hovering.
    pub title: Option<String>,
}

/// A line around or along a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    pub color: Color,
    pub width: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Rectangle { x: f64, y: f64, width: f64, height: f64 },
    Circle { x: f64, y: f64, radius: f64 },
    Path(Vec<Step>),
    Text(Text),
}

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    Move(f64, f64),
    Line(f64, f64),
    /// Two control points and the end.
    Curve([f64; 6]),
    Close,
}

/// One line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    pub text: String,
    /// Where the anchor stands on the baseline.
    pub x: f64,
    pub y: f64,
    pub size: f64,
    pub anchor: Anchor,
    pub direction: Direction,
}

/// Which part of a text stands at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Across,
    /// Turned a quarter to the left, read from below.
    Upwards,
}

impl Picture {
    pub fn new(width: f64, height: f64, title: impl Into<String>) -> Picture {
        Picture { width, height, title: title.into(), items: vec![] }
    }

    pub fn rectangle(&mut self, x: f64, y: f64, width: f64, height: f64) -> &mut Item {
        self.add(Shape::Rectangle { x, y, width, height })
    }

    pub fn circle(&mut self, x: f64, y: f64, radius: f64) -> &mut Item {
        self.add(Shape::Circle { x, y, radius })
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64)) -> &mut Item {
        self.path(vec![Step::Move(from.0, from.1), Step::Line(to.0, to.1)])
    }

    pub fn path(&mut self, steps: Vec<Step>) -> &mut Item {
        self.add(Shape::Path(steps))
    }

    /// Text across the page, in the usual colour.
    pub fn text(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, text: impl Into<String>) -> &mut Item {
        let text = Text { text: text.into(), x, y, size, anchor, direction: Direction::Across };
        self.add(Shape::Text(text)).fill(Color::TEXT)
    }

    /// Text that is read from below.
    pub fn text_upwards(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, text: impl Into<String>) -> &mut Item {
        let text = Text { text: text.into(), x, y, size, anchor, direction: Direction::Upwards };
        self.add(Shape::Text(text)).fill(Color::TEXT)
    }

    fn add(&mut self, shape: Shape) -> &mut Item {
        self.items.push(Item { shape, fill: None, stroke: None, opacity: 1.0, title: None });
        let last = self.items.len() - 1;
        &mut self.items[last]
    }
}

impl Item {
    pub fn fill(&mut self, color: Color) -> &mut Item {
        self.fill = Some(color);
        self
    }

    pub fn stroke(&mut self, color: Color, width: f64) -> &mut Item {
        self.stroke = Some(Stroke { color, width });
        self
    }

    pub fn opacity(&mut self, opacity: f64) -> &mut Item {
        self.opacity = opacity.clamp(0.0, 1.0);
        self
    }

    pub fn title(&mut self, title: impl Into<String>) -> &mut Item {
        self.title = Some(title.into());
        self
    }
}
