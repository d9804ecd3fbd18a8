//! Assigns lanes and columns to stops according to their prerequisites.

use std::collections::{BTreeMap, BTreeSet};

/// The position of a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The lane, counted from the top.
    pub lane: usize,
    /// The column, counted from the left.
    pub column: usize,
}

/// Positioned stops, and the prerequisites that do not follow from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// The position of each stop.
    pub positions: Vec<Position>,
    /// The prerequisites of each stop, all of them earlier stops.
    pub needs: Vec<Vec<usize>>,
}

impl Graph {
    /// Places stops, which are in an order in which each follows its prerequisites. A prerequisite that comes later is
    /// not drawn.
    pub fn new(needs: Vec<Vec<usize>>, lanes: Vec<usize>) -> Self {
        let needs = transitive_reduction(needs);
        let mut positions: Vec<Position> = Vec::with_capacity(lanes.len());
        // For each lane, the column after its last stop.
        let mut free: BTreeMap<usize, usize> = BTreeMap::new();
        for (stop, lane) in lanes.into_iter().enumerate() {
            let after_needs = needs[stop].iter().map(|&need| positions[need].column + 1).max();
            let column = after_needs.max(free.get(&lane).copied()).unwrap_or(0);
            free.insert(lane, column + 1);
            positions.push(Position { lane, column });
        }
        Self { positions, needs }
    }

    /// Returns the number of lanes.
    pub fn lanes(&self) -> usize {
        self.positions.iter().map(|position| position.lane + 1).max().unwrap_or(0)
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.positions.iter().map(|position| position.column + 1).max().unwrap_or(0)
    }
}

/// Removes prerequisites that follow from others: the transitive reduction.
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
    fn redundant_prerequisites_are_removed() {
        let graph = Graph::new(vec![vec![], vec![0], vec![0, 1], vec![2, 0, 1]], vec![0; 4]);
        assert_eq!(graph.needs, [vec![], vec![0], vec![1], vec![2]]);
    }

    #[test]
    fn stops_follow_their_prerequisites_and_never_overlap() {
        let graph = Graph::new(vec![vec![], vec![0], vec![], vec![0], vec![1, 3]], vec![0, 0, 1, 1, 0]);
        let positions: Vec<(usize, usize)> =
            graph.positions.iter().map(|position| (position.lane, position.column)).collect();
        assert_eq!(positions, [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2)]);
        assert_eq!((graph.lanes(), graph.columns()), (2, 3));
    }
}
