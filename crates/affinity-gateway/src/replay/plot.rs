//! The figures as a picture: hits on the left, balance on the right.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Comparison;

/// Pixels.
const WIDTH: u32 = 960;
const ROW: u32 = 30;
const AROUND: u32 = 120;
const LABELS: u32 = 150;

/// Room behind the longest bar for its figure, as a share of the axis.
const ROOM: f64 = 1.15;

const FONT: &str = "sans-serif";

/// One horizontal bar for each policy.
struct Panel<'a> {
    title: &'a str,
    color: RGBColor,
    /// Where the axis ends.
    end: f64,
    figure: fn(f64) -> String,
    bars: Vec<(&'static str, Option<f64>)>,
}

/// The figures as an SVG document.
pub(super) fn render(comparison: &Comparison) -> anyhow::Result<String> {
    let rows = &comparison.rows;
    let share = Panel {
        title: "share of the reachable hits",
        color: RGBColor(0x2a, 0x6f, 0x97),
        end: 1.0,
        figure: |share| format!("{:.1} %", 100.0 * share),
        bars: rows
            .iter()
            .map(|(policy, outcome)| (policy.name(), comparison.share(outcome)))
            .collect(),
    };
    let load = Panel {
        title: "prompt tokens of the most loaded account, over the mean",
        color: RGBColor(0xbc, 0x6c, 0x25),
        end: comparison.settings.channels as f64,
        figure: |load| format!("{load:.2}"),
        bars: rows
            .iter()
            .map(|(policy, outcome)| (policy.name(), Some(outcome.max_mean_tokens())))
            .collect(),
    };
    let mut svg = String::new();
    {
        let size = (WIDTH, AROUND + ROW * rows.len() as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE)?;
        let caption = format!(
            "{}: {} requests, {} accounts, ttl {} s",
            comparison.traffic,
            comparison.requests,
            comparison.settings.channels,
            comparison.settings.ttl.as_secs_f64(),
        );
        let area = area.titled(&caption, (FONT, 18))?;
        let (left, right) = area.split_horizontally(WIDTH / 2);
        share.draw(&left)?;
        load.draw(&right)?;
        area.present()?;
    }
    Ok(svg)
}

impl Panel<'_> {
    fn draw(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> anyhow::Result<()> {
        let rows = self.bars.len();
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, (FONT, 14))
            .margin(10)
            .x_label_area_size(30)
            .y_label_area_size(LABELS)
            // Upside down: the first policy is on top.
            .build_cartesian_2d(0.0..ROOM * self.end, (rows as f64)..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_x_mesh()
            .y_labels(0)
            .x_labels(6)
            .draw()?;
        for (row, (name, value)) in self.bars.iter().enumerate() {
            let (top, middle) = (row as f64 + 0.2, row as f64 + 0.5);
            let end = value.unwrap_or(0.0);
            chart.draw_series([Rectangle::new(
                [(0.0, top), (end, top + 0.6)],
                self.color.filled(),
            )])?;
            let plane = chart.plotting_area();
            let behind = (end + self.end / 100.0, middle);
            let figure = value.map_or("–".to_owned(), self.figure);
            plane.draw(&Text::new(figure, behind, text_style(area, HPos::Left)))?;
            // The name stands in front of the axis, outside of the chart's own coordinates.
            let (x, y) = plane.map_coordinate(&(0.0, middle));
            let (left, top) = area.get_base_pixel();
            area.draw_text(
                name,
                &text_style(area, HPos::Right),
                (x - left - 8, y - top),
            )?;
        }
        Ok(())
    }
}

fn text_style<'a>(area: &'a DrawingArea<SVGBackend<'_>, Shift>, side: HPos) -> TextStyle<'a> {
    (FONT, 13)
        .into_font()
        .into_text_style(area)
        .pos(Pos::new(side, VPos::Center))
}
