//! The cached share over time as a picture.

use std::time::Duration;

use anyhow::anyhow;
use plotters::prelude::*;

use super::outcome::{Outcome, Sample, share};

/// Width and height in pixels.
const SIZE: (u32, u32) = (840, 420);
/// One point of a line stands for the answers of this time.
const WINDOW: Duration = Duration::from_secs(1);
/// Of fewer answers there is no point: at a policy's end they are few and far apart.
const FEWEST: usize = 5;
/// Blue and orange of the Okabe–Ito palette, which colour-blind readers tell apart.
const COLORS: [RGBColor; 2] = [RGBColor(230, 159, 0), RGBColor(0, 114, 178)];

/// An SVG document with one line per policy.
pub(super) fn render(outcomes: &[Outcome]) -> anyhow::Result<String> {
    let mut svg = String::new();
    draw(&mut svg, outcomes).map_err(|error| anyhow!("cannot draw the plot: {error}"))?;
    Ok(svg)
}

fn draw(svg: &mut String, outcomes: &[Outcome]) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let ends = outcomes.iter().filter_map(|outcome| outcome.samples.last());
    let end = ends.map(|sample| sample.at).max().unwrap_or(WINDOW);
    let mut chart = ChartBuilder::on(&root)
        .caption("Prompt tokens read from cache", ("sans-serif", 20))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..end.as_secs_f64(), 0.0..100.0)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("seconds since the policy started, on cold caches")
        .x_label_formatter(&|seconds| format!("{seconds:.0}"))
        .y_label_formatter(&|percent| format!("{percent:.0} %"))
        .draw()?;
    for (outcome, color) in outcomes.iter().zip(COLORS.into_iter().cycle()) {
        let style = color.stroke_width(3);
        chart
            .draw_series(LineSeries::new(points(&outcome.samples), style))?
            .label(format!(
                "{}, {:.0} % in all",
                outcome.policy,
                100.0 * outcome.cached_share()
            ))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerMiddle)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    root.present()?;
    Ok(())
}

/// The middle of each window in seconds, and the cached share of its answers in percent.
fn points(samples: &[Sample]) -> Vec<(f64, f64)> {
    let window = |sample: &Sample| sample.at.as_nanos() / WINDOW.as_nanos();
    samples
        .chunk_by(|a, b| window(a) == window(b))
        .filter(|chunk| chunk.len() >= FEWEST)
        .map(|chunk| {
            let middle = (window(&chunk[0]) as f64 + 0.5) * WINDOW.as_secs_f64();
            (middle, 100.0 * share(chunk))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::outcome::tests::outcome;
    use super::*;

    #[test]
    fn a_window_with_enough_answers_is_a_point() {
        let samples = outcome().samples.repeat(FEWEST);
        let mut samples: Vec<_> = samples
            .into_iter()
            .filter(|one| one.tokens.cached < 20)
            .collect();
        samples.sort_by_key(|sample| sample.at);
        samples.pop();
        assert_eq!(points(&samples), [(1.5, 0.0)]);
    }

    #[test]
    fn picture_names_every_policy() {
        let svg = render(&[outcome()]).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("affinity, 15 % in all"));
    }

    #[test]
    fn nothing_heard_is_still_a_picture() {
        let nothing = Outcome {
            samples: vec![],
            ..outcome()
        };
        assert!(render(&[nothing]).unwrap().contains("</svg>"));
    }
}
