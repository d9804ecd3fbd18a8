//! Assigns lanes and columns to stops, and finds the prerequisites that are drawn.

use std::collections::{BTreeMap, BTreeSet};

/// The number of stops in a lane. As many fit into a page of 1440 pixels; a group with more of them goes on in another lane.
const COLUMNS: usize = 5;

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
    /// Places stops, which are in an order in which each follows its prerequisites, into the lanes of their groups. A
    /// prerequisite that comes later is not drawn.
    pub fn new(needs: Vec<Vec<usize>>, groups: &[usize]) -> Self {
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        let places: Vec<(usize, usize)> = groups
            .iter()
            .map(|&group| {
                let size = sizes.entry(group).or_default();
                *size += 1;
                (group, *size - 1)
            })
            .collect();
        let lanes: BTreeSet<(usize, usize)> = places.iter().map(|&(group, at)| (group, at / COLUMNS)).collect();
        let position = |&(group, at): &(usize, usize)| Position {
            lane: lanes.range(..(group, at / COLUMNS)).count(),
            column: at % COLUMNS,
        };
        Self { positions: places.iter().map(position).collect(), needs: transitive_reduction(needs) }
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
        let graph = Graph::new(vec![vec![], vec![0], vec![0, 1], vec![2, 0, 1]], &[0; 4]);
        assert_eq!(graph.needs, [vec![], vec![0], vec![1], vec![2]]);
    }

    #[test]
    fn groups_have_their_own_lanes_of_at_most_five_stops() {
        let graph = Graph::new(vec![vec![]; 9], &[0, 1, 1, 1, 1, 1, 1, 0, 2]);
        let positions: Vec<(usize, usize)> =
            graph.positions.iter().map(|position| (position.lane, position.column)).collect();
        assert_eq!(positions, [(0, 0), (1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (2, 0), (0, 1), (3, 0)]);
        assert_eq!((graph.lanes(), graph.columns()), (4, 5));
    }
}
