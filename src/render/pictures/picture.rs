//! A picture: elements in the order in which they are painted, in pixels from the top left corner.
//!
//! Views make pictures; [`super::svg`], [`super::png`] and [`super::pdf`] write them, each from the same elements.

use crate::color::Color;

/// A drawing of a given size.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// A description of the picture, for those who cannot see it.
    pub title: String,
    /// What the picture cannot show, and what would help; often empty.
    pub remark: String,
    /// The elements, painted one over the other.
    pub elements: Vec<PictureElement>,
}

/// A shape with its paint.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureElement {
    /// The geometry.
    pub shape: ElementShape,
    /// Color inside the shape.
    pub fill: Option<Color>,
    /// Line along the shape.
    pub stroke: Option<Stroke>,
    /// From 0, transparent, to 1, opaque.
    pub opacity: f64,
    /// Text that a reader sees when hovering.
    pub title: Option<String>,
}

/// A line around or along a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// Color of the line.
    pub color: Color,
    /// Width of the line in pixels.
    pub width: f64,
}

/// The geometry of an element.
#[derive(Debug, Clone, PartialEq)]
pub enum ElementShape {
    /// A rectangle with its top left corner at (x, y).
    Rectangle { x: f64, y: f64, width: f64, height: f64 },
    /// A circle around (x, y).
    Circle { x: f64, y: f64, radius: f64 },
    /// Lines and curves.
    Path(Vec<PathStep>),
    /// One line of text.
    Text(TextLine),
}

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PathStep {
    /// To a point, without a line.
    Move(f64, f64),
    /// A straight line to a point.
    Line(f64, f64),
    /// A cubic curve: two control points and the end.
    Curve([f64; 6]),
    /// A straight line to where the path began.
    Close,
}

/// One line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct TextLine {
    /// The text.
    pub text: String,
    /// Position of the anchor.
    pub x: f64,
    /// Position of the baseline.
    pub y: f64,
    /// Height of the font in pixels.
    pub size: f64,
    /// The part of the text that stands at its position.
    pub anchor: TextAnchor,
    /// The direction of reading.
    pub direction: TextDirection,
}

/// Which part of a text stands at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextAnchor {
    /// Its first letter.
    Start,
    /// Its middle.
    Middle,
    /// Its last letter.
    End,
}

/// The direction in which a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextDirection {
    /// From left to right.
    Across,
    /// Turned a quarter to the left, read from below.
    Upwards,
}

impl Picture {
    /// An empty picture.
    pub fn new(width: f64, height: f64, title: impl Into<String>) -> Picture {
        Picture { width, height, title: title.into(), remark: String::new(), elements: vec![] }
    }

    /// Adds a rectangle with its top left corner at (x, y).
    pub fn rectangle(&mut self, x: f64, y: f64, width: f64, height: f64) -> &mut PictureElement {
        self.add(ElementShape::Rectangle { x, y, width, height })
    }

    /// Adds a circle around (x, y).
    pub fn circle(&mut self, x: f64, y: f64, radius: f64) -> &mut PictureElement {
        self.add(ElementShape::Circle { x, y, radius })
    }

    /// Adds a straight line between two points.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64)) -> &mut PictureElement {
        self.path(vec![PathStep::Move(from.0, from.1), PathStep::Line(to.0, to.1)])
    }

    /// Adds a path.
    pub fn path(&mut self, steps: Vec<PathStep>) -> &mut PictureElement {
        self.add(ElementShape::Path(steps))
    }

    /// Adds text that is read from left to right, in the usual color.
    pub fn text(
        &mut self,
        x: f64,
        y: f64,
        size: f64,
        anchor: TextAnchor,
        text: impl Into<String>,
    ) -> &mut PictureElement {
        let text = TextLine { text: text.into(), x, y, size, anchor, direction: TextDirection::Across };
        self.add(ElementShape::Text(text)).fill(Color::TEXT)
    }

    /// Adds text that is read from below, in the usual color.
    pub fn text_upwards(
        &mut self,
        x: f64,
        y: f64,
        size: f64,
        anchor: TextAnchor,
        text: impl Into<String>,
    ) -> &mut PictureElement {
        let text = TextLine { text: text.into(), x, y, size, anchor, direction: TextDirection::Upwards };
        self.add(ElementShape::Text(text)).fill(Color::TEXT)
    }

    fn add(&mut self, shape: ElementShape) -> &mut PictureElement {
        self.elements.push(PictureElement { shape, fill: None, stroke: None, opacity: 1.0, title: None });
        let last = self.elements.len() - 1;
        &mut self.elements[last]
    }
}

impl PictureElement {
    /// Sets the color inside.
    pub fn fill(&mut self, color: Color) -> &mut PictureElement {
        self.fill = Some(color);
        self
    }

    /// Sets the line along the shape.
    pub fn stroke(&mut self, color: Color, width: f64) -> &mut PictureElement {
        self.stroke = Some(Stroke { color, width });
        self
    }

    /// Sets the opacity, clamped to 0 and 1.
    pub fn opacity(&mut self, opacity: f64) -> &mut PictureElement {
        self.opacity = opacity.clamp(0.0, 1.0);
        self
    }

    /// Sets the text that a reader sees when hovering.
    pub fn title(&mut self, title: impl Into<String>) -> &mut PictureElement {
        self.title = Some(title.into());
        self
    }
}
