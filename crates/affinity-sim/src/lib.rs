//! Simulated upstream accounts with real prompt-cache rules, trace readers, workload generator.
