//! Stops and what they need → lanes and columns.

use std::collections::BTreeSet;

/// Where a stop stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// From the top.
    pub lane: usize,
    /// From the left.
    pub column: usize,
}

/// Stops with their places, and the needs that do not follow from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// By stop.
    pub positions: Vec<Position>,
    /// By stop: the stops that it needs, all of them before it.
    pub needs: Vec<Vec<usize>>,
}

impl Graph {
    /// Places stops that come in an order in which each comes after what it needs; a need that comes later is not drawn.
    pub fn new(needs: Vec<Vec<usize>>, lanes: Vec<usize>) -> Self {
        let needs = transitive_reduction(needs);
        let mut positions: Vec<Position> = Vec::with_capacity(lanes.len());
        for (stop, lane) in lanes.into_iter().enumerate() {
            let after_needs = needs[stop].iter().map(|&need| positions[need].column + 1).max();
            let after_lane =
                positions.iter().filter(|position| position.lane == lane).map(|position| position.column + 1).max();
            positions.push(Position { lane, column: after_needs.max(after_lane).unwrap_or(0) });
        }
        Self { positions, needs }
    }

    /// How many lanes there are.
    pub fn lanes(&self) -> usize {
        self.positions.iter().map(|position| position.lane + 1).max().unwrap_or(0)
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.positions.iter().map(|position| position.column + 1).max().unwrap_or(0)
    }

    /// Whether no stop stands in the columns of `columns` of a lane.
    pub fn is_free(&self, lane: usize, mut columns: std::ops::Range<usize>) -> bool {
        columns.all(|column| !self.positions.contains(&Position { lane, column }))
    }
}

/// Leaves out what is needed by way of another need: the transitive reduction.
fn transitive_reduction(needs: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut ancestors: Vec<BTreeSet<usize>> = Vec::with_capacity(needs.len());
    let mut transitive_reduction = Vec::with_capacity(needs.len());
    for (stop, needs) in needs.into_iter().enumerate() {
        let needs: BTreeSet<usize> = needs.into_iter().filter(|&need| need < stop).collect();
        let implied: BTreeSet<usize> = needs.iter().flat_map(|&need| ancestors[need].iter().copied()).collect();
        transitive_reduction.push(needs.difference(&implied).copied().collect());
        ancestors.push(needs.union(&implied).copied().collect());
    }
    transitive_reduction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_that_follow_from_others_are_left_out() {
        let graph = Graph::new(vec![vec![], vec![0], vec![0, 1], vec![2, 0, 1]], vec![0; 4]);
        assert_eq!(graph.needs, [vec![], vec![0], vec![1], vec![2]]);
    }

    #[test]
    fn stops_stand_after_what_they_need_and_never_in_one_place() {
        let graph = Graph::new(vec![vec![], vec![0], vec![], vec![0], vec![1, 3]], vec![0, 0, 1, 1, 0]);
        let positions: Vec<(usize, usize)> =
            graph.positions.iter().map(|position| (position.lane, position.column)).collect();
        assert_eq!(positions, [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2)]);
        assert_eq!((graph.lanes(), graph.columns()), (2, 3));
        assert!(graph.is_free(1, 2..3) && !graph.is_free(0, 0..1));
    }
}
