//! docs/bench/*.svg.

use std::fs;
use std::io::{Error, Result};
use std::path::Path;

use benches::entrants::TableWork;
use benches::threads;
use benches::works::{Body, Share, Take};
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::programme::{BODIES, CANDIDATES, SHAPES, order_work};
use crate::rows::{Row, find};

const OURS: RGBColor = RGBColor(0x0b, 0x6e, 0x99);
const PEERS: RGBColor = RGBColor(0x9a, 0xa5, 0xb1);
const FLOOR: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
const WIDTH: u32 = 900;
const BAR: u32 = 24;

/// Draws every plot of a full run as SVG files into `folder`.
pub(crate) fn draw(rows: &[Row], folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mix = TableWork::Mix(Share::Tenth).name();
    let most = *threads::counts().last().expect("at least one thread");
    let hits = |row: &Row| row.hit_rate.map(|share| share * 100.0);
    let ns = |row: &Row| Some(row.ns_per_op);
    let mops = |row: &Row| Some(row.mops);
    bars(
        &folder.join("hit-rate"),
        "Recalls that found their session, % (90/10 mix)",
        rows,
        &mix,
        1,
        &hits,
    )?;
    bars(
        &folder.join("mix"),
        "90/10 mix, 1 thread, ns per operation",
        rows,
        &mix,
        1,
        &ns,
    )?;
    let title = format!("90/10 mix, {most} threads, million operations a second");
    bars(&folder.join("mix-threads"), &title, rows, &mix, most, &mops)?;
    let turn = TableWork::Turn(100_000).name();
    bars(
        &folder.join("turn"),
        "One turn, prehashed, 100k sessions, ns",
        rows,
        &turn,
        1,
        &ns,
    )?;
    let bytes = BODIES[0].0;
    bars(
        &folder.join("turn-bytes"),
        "One turn from 16 kB of bytes, ns",
        rows,
        bytes,
        1,
        &ns,
    )?;
    bars(
        &folder.join("chain"),
        "Chain of 20×800 B, ns",
        rows,
        SHAPES[0].0,
        1,
        &ns,
    )?;
    bars(
        &folder.join("body"),
        "Body of an agent, 1 MiB, ns",
        rows,
        Body::Agent.name(),
        1,
        &ns,
    )?;
    lines(
        &folder.join("pick"),
        "Pick, ns by candidates",
        rows,
        Take::Pick,
    )?;
    lines(
        &folder.join("order"),
        "Full order, ns by candidates",
        rows,
        Take::All,
    )
}

/// Horizontal bars, one a peer, ours in colour.
fn bars(
    file: &Path,
    title: &str,
    rows: &[Row],
    work: &str,
    threads: usize,
    value: &dyn Fn(&Row) -> Option<f64>,
) -> Result<()> {
    let bars: Vec<_> = rows
        .iter()
        .filter(|row| row.work == work && row.threads == threads)
        .filter_map(|row| Some((row, value(row)?)))
        .collect();
    let longest = bars
        .iter()
        .map(|&(_, v)| v)
        .fold(f64::MIN_POSITIVE, f64::max);
    let path = file.with_extension("svg");
    let height = 48 + BAR * bars.len() as u32;
    let area = SVGBackend::new(&path, (WIDTH, height)).into_drawing_area();
    let draw = || -> std::result::Result<(), Box<dyn std::error::Error>> {
        area.fill(&WHITE)?;
        area.draw(&Text::new(title, (16, 12), ("sans-serif", 18).into_font()))?;
        for (at, &(row, value)) in bars.iter().enumerate() {
            bar(&area, 44 + at as i32 * BAR as i32, row, value, longest)?;
        }
        area.present()?;
        Ok(())
    };
    draw().map_err(|error| Error::other(format!("{}: {error}", path.display())))
}

fn bar(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    top: i32,
    row: &Row,
    value: f64,
    longest: f64,
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    const LEFT: i32 = 330;
    const RIGHT: i32 = WIDTH as i32 - 90;
    let colour = match row {
        row if row.is_floor() => FLOOR,
        row if row.is_ours() => OURS,
        _ => PEERS,
    };
    let label = ("sans-serif", 14).into_font();
    let end = LEFT + (f64::from(RIGHT - LEFT) * value / longest) as i32;
    let bottom = top + BAR as i32 - 6;
    area.draw(&Text::new(row.peer.clone(), (16, top + 2), label.clone()))?;
    area.draw(&Rectangle::new(
        [(LEFT, top), (end.max(LEFT + 1), bottom)],
        colour.filled(),
    ))?;
    area.draw(&Text::new(format!("{value:.1}"), (end + 8, top + 2), label))?;
    Ok(())
}

/// Time against the number of candidates, both logarithmic, a line a peer.
fn lines(file: &Path, title: &str, rows: &[Row], take: Take) -> Result<()> {
    let path = file.with_extension("svg");
    let area = SVGBackend::new(&path, (WIDTH, 480)).into_drawing_area();
    let work = |n| order_work(take, false, n);
    let peers: Vec<_> = rows
        .iter()
        .filter(|row| row.work == work(CANDIDATES[0]))
        .map(|row| &row.peer)
        .collect();
    let draw = || -> std::result::Result<(), Box<dyn std::error::Error>> {
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 18))
            .margin(16)
            .x_label_area_size(32)
            .y_label_area_size(72)
            .build_cartesian_2d((1f64..10_000f64).log_scale(), (1f64..1e7).log_scale())?;
        chart
            .configure_mesh()
            .x_desc("candidates")
            .y_desc("ns")
            .draw()?;
        for (at, peer) in peers.into_iter().enumerate() {
            let style = match peer.starts_with("affinity Cand") {
                true => OURS.stroke_width(4),
                false => Palette99::pick(at).stroke_width(2),
            };
            let points = CANDIDATES
                .iter()
                .filter_map(|&n| Some((n as f64, find(rows, &work(n), peer, 1)?.ns_per_op)));
            chart
                .draw_series(LineSeries::new(points, style))?
                .label(peer.as_str())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.filled())
            .border_style(FLOOR)
            .draw()?;
        area.present()?;
        Ok(())
    };
    draw().map_err(|error| Error::other(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plot_is_drawn() {
        let row = |work: String, peer: &str| Row {
            work,
            peer: peer.to_owned(),
            threads: 1,
            ns_per_op: 12.5,
            mops: 80.0,
            hit_rate: Some(1.0),
            allocs_per_op: None,
            bytes_per_entry: None,
        };
        let mix = TableWork::Mix(Share::Tenth).name();
        let rows = [
            row(mix.clone(), "affinity"),
            row(mix, "(work alone)"),
            row(order_work(Take::Pick, false, 1), "affinity Candidates"),
        ];
        let folder = std::env::temp_dir().join(format!("affinity-plots-{}", std::process::id()));
        draw(&rows, &folder).expect("plots are drawn");
        let mix = fs::read_to_string(folder.join("mix.svg")).expect("the plot is there");
        let drawn = fs::read_dir(&folder).map(Iterator::count);
        fs::remove_dir_all(&folder).expect("the folder can go");
        assert!(mix.contains("affinity") && mix.contains("12.5"));
        assert_eq!(drawn.ok(), Some(9));
    }
}
