//! Tests of the drawing of paths.

use super::line::{Line, Router, segments};
use super::*;

fn drawn(needs: &[&[usize]], lanes: &[usize]) -> Drawing {
    let graph = Graph::new(needs.iter().map(|needs| needs.to_vec()).collect(), lanes);
    Drawing::new(&graph, &[], page_measures([].into_iter()))
}

#[test]
fn adjacent_stops_have_a_straight_line_with_an_arrowhead() {
    let drawing = drawn(&[&[], &[0]], &[0, 0]);
    assert_eq!(drawing.lines, [(0, "M206 62L238 62M232 58L238 62L232 66".to_string())]);
}

#[test]
fn a_line_bends_into_another_lane() {
    let drawing = drawn(&[&[], &[], &[1]], &[0, 0, 1]);
    let (from, data) = &drawing.lines[0];
    assert_eq!((*from, data.matches('Q').count()), (1, 2), "{data}");
    assert!(data.contains("L117 146M"), "{data}");
}

#[test]
fn a_line_avoids_stops() {
    let drawing = drawn(&[&[], &[], &[1], &[0, 2]], &[0, 1, 1, 1]);
    assert_eq!((drawing.lines.len(), drawing.unrouted.len()), (3, 0));
}

#[test]
fn titles_fit_into_their_rows() {
    assert_eq!(rows("Softmax"), 1);
    assert_eq!(rows("Transformer Memory Accounting"), 3);
    assert_eq!(rows("AVeryLongWordThatIsBroken"), 3);
    assert_eq!(rows("模型參數與啟動值都會佔用"), 3);
}

/// Draws graphs of many shapes and returns their lines.
fn random(seed: usize) -> (Vec<Line>, Vec<(i32, i32)>, Measures) {
    let mut state = seed * 2_654_435_761 + 1;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let count = 2 + next(18);
    let needs = (0..count).map(|stop| (0..next(3)).filter(|_| stop > 0).map(|_| next(stop.max(1))).collect()).collect();
    let groups: Vec<usize> = (0..count).map(|_| next(5)).collect();
    let graph = Graph::new(needs, &groups);
    let measures = page_measures(["Transformer Memory Accounting"].into_iter());
    let corner = |position: &graph::Position| {
        let (lane, gap) = measures.lane;
        let x = measures.inset.0 + to_i32(position.column) * measures.pitch;
        (x, to_i32(position.lane) * (lane + gap) + measures.inset.1)
    };
    let stops: Vec<(i32, i32)> = graph.positions.iter().map(corner).collect();
    let (lines, _) = Router { graph: &graph, measures, stops: &stops }.lines(&mut Obstacles::new(measures));
    (lines, stops, measures)
}

#[test]
fn no_line_crosses_another_or_a_stop() {
    let mut drawn = 0;
    for seed in 0..40 {
        let (lines, stops, measures) = random(seed);
        drawn += lines.len();
        for (index, line) in lines.iter().enumerate() {
            for other in &lines[..index] {
                let meets = |a: Rect, b: Rect| if line.from == other.from { a.crosses(b) } else { a.meets(b) };
                let crosses = segments(&line.corners).any(|a| segments(&other.corners).any(|b| meets(a, b)));
                assert!(!crosses, "{seed}: {line:?} {other:?}");
            }
            for (stop, &corner) in stops.iter().enumerate().filter(|&(stop, _)| stop != line.from && stop != line.to) {
                let taken = Rect::sized(corner, measures.stop);
                assert!(segments(&line.corners).all(|segment| !segment.meets(taken)), "{seed}: {line:?} {stop}");
            }
        }
    }
    assert!(drawn > 200, "{drawn} lines");
}
