//! The indentation of what is between a pair of braces, as a second reading of where a definition ends.

/// A block, whose lines should be indented more than the definition that it belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// The columns in which the definition may begin: of the line of its first word, of its name and of its brace.
    columns: [usize; 3],
    /// The column of the line in it that is indented least, and the first such line.
    least: (usize, usize),
    /// The column of the line in it that is indented most.
    most: usize,
}

impl Default for Block {
    fn default() -> Self {
        Self::new([0; 3])
    }
}

impl Block {
    /// Creates an empty block.
    pub fn new(columns: [usize; 3]) -> Self {
        Self { columns, least: (usize::MAX, usize::MAX), most: 0 }
    }

    /// Adds a line that begins in this column.
    pub fn line(&mut self, column: usize, line: usize) {
        self.least = self.least.min((column, line));
        self.most = self.most.max(column);
    }

    /// Adds the lines of a block in it.
    pub fn contains(&mut self, block: &Self) {
        self.least = self.least.min(block.least);
        self.most = self.most.max(block.most);
    }

    /// Ends the block with a brace on `line`, which is the first thing there if it has a column. Returns the column that the
    /// next line may not be beyond.
    ///
    /// # Errors
    ///
    /// Returns the line that contradicts: one in the block that is indented no more than the definition, or the last one,
    /// if the brace is not below the beginning of the definition.
    pub fn end(&self, column: Option<usize>, line: usize) -> Result<usize, usize> {
        // Where no line is indented, indentation says nothing.
        let is_flat = |begin: &usize| *begin == self.least.0 && *begin == self.most && column == Some(*begin);
        let is_inside = |begin: &usize| *begin < self.least.0 && column.is_none_or(|column| *begin == column);
        let fits = |begin: &usize| is_inside(begin) || is_flat(begin);
        match self.columns.into_iter().filter(fits).max() {
            Some(begin) => Ok(begin),
            None if self.columns.into_iter().any(|begin| begin < self.least.0) => Err(line),
            None => Err(self.least.1),
        }
    }
}
