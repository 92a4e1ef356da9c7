//! What the executions for one purpose may use together: steps, bytes and time.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Steps after which a [`Meter`] settles with its budget.
const STRIDE: u64 = 1 << 14;

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps of all executions together: nodes executed, items visited, bytes read in units of 16.
    pub steps: u64,
    /// Bytes made by all executions together.
    pub bytes: u64,
    /// Bytes made by one execution, which may keep them all at once.
    pub bytes_at_once: u64,
    /// YAML values that one execution may print.
    pub values: u64,
    /// Wall-clock time since the first step. A guard against what steps do not measure well; on a busy
    /// machine it must not stop what steps allow.
    pub time: Duration,
}

/// A limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::steps`].
    Steps(u64),
    /// [`Limits::bytes`].
    Bytes(u64),
    /// [`Limits::bytes_at_once`].
    BytesAtOnce(u64),
    /// [`Limits::values`].
    Values(u64),
    /// [`Limits::time`].
    Time(Duration),
    /// The steps of a [`Pool`].
    SharedSteps,
    /// The bytes of a [`Pool`].
    SharedBytes,
    /// Nobody wants the result any more.
    Stopped,
}

/// What several budgets may spend together, beyond a share that each of them has for itself. Clones are the same
/// pool.
#[derive(Clone, Debug)]
pub struct Pool(Arc<PoolAccount>);

#[derive(Debug)]
struct PoolAccount {
    /// Steps and bytes, of all budgets together.
    limits: [AtomicU64; 2],
    spent: [AtomicU64; 2],
    /// Steps and bytes of each budget that the pool does not count.
    share: [u64; 2],
    /// Set once nobody wants the results any more.
    stop: Arc<AtomicBool>,
}

impl Pool {
    /// A pool of steps and bytes. Each budget has its share of steps and bytes besides.
    pub fn new(steps: u64, bytes: u64, share: [u64; 2]) -> Self {
        Self::stopped_by(Arc::default(), [steps, bytes], share)
    }

    /// The same; once `stop` is set, its budgets can spend nothing more.
    pub fn stopped_by(stop: Arc<AtomicBool>, limits: [u64; 2], share: [u64; 2]) -> Self {
        let limits = limits.map(AtomicU64::new);
        Self(Arc::new(PoolAccount { limits, spent: Default::default(), share, stop }))
    }

    /// Adds steps and bytes to spend, for example because more has been read.
    pub fn grow(&self, steps: u64, bytes: u64) {
        for (limit, more) in self.0.limits.iter().zip([steps, bytes]) {
            let _ = limit.fetch_update(Relaxed, Relaxed, |now| Some(now.saturating_add(more)));
        }
    }

    /// Whether nobody wants the results any more.
    pub fn is_stopped(&self) -> bool {
        self.0.stop.load(Relaxed)
    }

    /// Spends what a budget needs beyond its share: from `before` to `after`, of steps (0) or bytes (1).
    fn spend(&self, kind: usize, before: u64, after: u64) -> Result<(), Limit> {
        let pool = &*self.0;
        if self.is_stopped() {
            return Err(Limit::Stopped);
        }
        let beyond = after.saturating_sub(before.max(pool.share[kind]));
        if beyond == 0 {
            return Ok(());
        }
        let limit = pool.limits[kind].load(Relaxed);
        let spent = pool.spent[kind].fetch_add(beyond, Relaxed).saturating_add(beyond);
        if spent <= limit {
            return Ok(());
        }
        // What is refused is left for the others.
        pool.spent[kind].fetch_sub(beyond, Relaxed);
        Err(if kind == 0 { Limit::SharedSteps } else { Limit::SharedBytes })
    }
}

/// A budget that several executions share: clones spend from the same account. Once a limit is exceeded,
/// nothing more can be spent.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Account>);

#[derive(Debug)]
struct Account {
    limits: Limits,
    started: OnceLock<Instant>,
    steps: AtomicU64,
    bytes: AtomicU64,
    exceeded: RwLock<Option<Limit>>,
    pool: Option<Pool>,
}

/// Spends from a [`Budget`] on behalf of one execution. Settles with the budget now and then, and when
/// it is dropped.
#[derive(Debug)]
pub struct Meter {
    budget: Budget,
    /// Steps and bytes not yet settled.
    steps: u64,
    bytes: u64,
    /// Bytes settled by this meter.
    settled: u64,
    /// Unsettled steps and bytes at which to settle.
    until: (u64, u64),
}

impl Default for Limits {
    fn default() -> Self {
        // Builds without optimisation are some twenty times slower.
        let (steps, seconds) =
            if cfg!(debug_assertions) { (5_000_000, 120) } else { (50_000_000, 30) };
        let time = Duration::from_secs(seconds);
        Self { steps, bytes: 1 << 30, bytes_at_once: 64 << 20, values: 2_000_000, time }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Budget {
    /// An unspent budget.
    pub fn new(limits: Limits) -> Self {
        Self::within(limits, None)
    }

    /// An unspent budget that shares a pool with others.
    pub fn within(limits: Limits, pool: Option<Pool>) -> Self {
        Self(Arc::new(Account {
            limits,
            started: OnceLock::new(),
            steps: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            exceeded: RwLock::new(None),
            pool,
        }))
    }

    /// The limit that was exceeded first.
    pub fn exceeded(&self) -> Option<Limit> {
        *self.0.exceeded.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The steps and bytes spent so far.
    pub fn spent(&self) -> (u64, u64) {
        (self.0.steps.load(Relaxed), self.0.bytes.load(Relaxed))
    }

    /// Spends steps and bytes outside of an execution.
    ///
    /// # Errors
    ///
    /// The first limit that is or was exceeded.
    pub fn spend(&self, steps: u64, bytes: u64) -> Result<(), Limit> {
        if let Some(limit) = self.exceeded() {
            return Err(limit);
        }
        let account = &*self.0;
        let limits = &account.limits;
        let before =
            [account.steps.fetch_add(steps, Relaxed), account.bytes.fetch_add(bytes, Relaxed)];
        let [steps, bytes] = [before[0].saturating_add(steps), before[1].saturating_add(bytes)];
        if steps > limits.steps {
            return Err(self.exceed(Limit::Steps(limits.steps)));
        }
        if bytes > limits.bytes {
            return Err(self.exceed(Limit::Bytes(limits.bytes)));
        }
        if account.started.get_or_init(Instant::now).elapsed() > limits.time {
            return Err(self.exceed(Limit::Time(limits.time)));
        }
        if let Some(pool) = &account.pool {
            pool.spend(0, before[0], steps).map_err(|limit| self.exceed(limit))?;
            pool.spend(1, before[1], bytes).map_err(|limit| self.exceed(limit))?;
        }
        Ok(())
    }

    /// Checks the number of YAML values that one execution printed.
    ///
    /// # Errors
    ///
    /// There are too many.
    pub fn check_values(&self, values: u64) -> Result<(), Limit> {
        let most = self.0.limits.values;
        if values > most { Err(self.exceed(Limit::Values(most))) } else { Ok(()) }
    }

    fn exceed(&self, limit: Limit) -> Limit {
        let mut exceeded = self.0.exceeded.write().unwrap_or_else(PoisonError::into_inner);
        *exceeded.get_or_insert(limit)
    }
}

impl Meter {
    /// A meter for one execution.
    pub fn new(budget: &Budget) -> Self {
        Self { budget: budget.clone(), steps: 0, bytes: 0, settled: 0, until: (0, 0) }
    }

    /// Spends steps.
    ///
    /// # Errors
    ///
    /// The first limit that is or was exceeded.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> Result<(), Limit> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.until.0 { self.settle() } else { Ok(()) }
    }

    /// Spends bytes.
    ///
    /// # Errors
    ///
    /// As for [`Self::spend`].
    #[inline]
    pub fn allocate(&mut self, bytes: usize) -> Result<(), Limit> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.bytes > self.until.1 { self.settle() } else { Ok(()) }
    }

    /// Checks that so many bytes could be spent; exceeds the budget if not.
    ///
    /// # Errors
    ///
    /// As for [`Self::spend`].
    pub fn check(&self, bytes: usize) -> Result<(), Limit> {
        let limits = &self.budget.0.limits;
        let own = self.settled.saturating_add(self.bytes).saturating_add(bytes as u64);
        if own > limits.bytes_at_once {
            return Err(self.budget.exceed(Limit::BytesAtOnce(limits.bytes_at_once)));
        }
        Ok(())
    }

    #[cold]
    fn settle(&mut self) -> Result<(), Limit> {
        let (steps, bytes) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.bytes));
        self.settled = self.settled.saturating_add(bytes);
        self.until = (0, 0);
        if self.budget.exceeded().is_none() {
            self.check(0)?;
        }
        self.budget.spend(steps, bytes)?;
        let limits = &self.budget.0.limits;
        let spent = self.budget.spent();
        let left = limits.bytes_at_once.saturating_sub(self.settled);
        self.until.0 = STRIDE.min(limits.steps.saturating_sub(spent.0));
        self.until.1 = STRIDE.min(left).min(limits.bytes.saturating_sub(spent.1));
        Ok(())
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        // What was exceeded last is known to the budget.
        let _ = self.budget.spend(self.steps, self.bytes);
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(steps) if steps % 1_000_000 == 0 => {
                write!(f, "needs more than {} million template steps", steps / 1_000_000)
            }
            Self::Steps(steps) => write!(f, "needs more than {steps} template steps"),
            Self::Bytes(bytes) => write!(f, "makes more than {} of text", Size(*bytes)),
            Self::BytesAtOnce(bytes) => {
                write!(f, "makes more than {} of text in one render", Size(*bytes))
            }
            Self::Values(values) if values % 1_000_000 == 0 => {
                write!(f, "prints more than {} million YAML values", values / 1_000_000)
            }
            Self::Values(values) => write!(f, "prints more than {values} YAML values"),
            Self::Time(time) => write!(f, "takes longer than {} seconds", time.as_secs()),
            Self::SharedSteps => {
                f.write_str("needs more than its share of the run's template steps")
            }
            Self::SharedBytes => f.write_str("makes more than its share of the run's text"),
            Self::Stopped => f.write_str("is not wanted any more"),
        }
    }
}

/// A number of bytes in the largest unit that divides it.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        let unit = units.iter().find(|(bits, _)| self.0 != 0 && self.0.is_multiple_of(1 << bits));
        match unit {
            Some((bits, unit)) => write!(f, "{} {unit}", self.0 >> bits),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOREVER: Duration = Duration::MAX;

    fn budget(steps: u64, bytes: u64, bytes_at_once: u64) -> Budget {
        Budget::new(Limits { steps, bytes, bytes_at_once, values: 10, time: FOREVER })
    }

    #[test]
    fn budgets_share_a_pool_beyond_their_shares() {
        let pool = Pool::new(10, 100, [5, 50]);
        let limits = Limits { steps: 100, bytes: 1000, time: FOREVER, ..Limits::default() };
        let budgets = [(); 3].map(|()| Budget::within(limits, Some(pool.clone())));
        assert_eq!(budgets[0].spend(5, 50), Ok(()), "its share");
        assert_eq!(budgets[1].spend(12, 0), Ok(()), "its share and seven of the pool");
        assert_eq!(budgets[0].spend(3, 0), Ok(()));
        assert_eq!(budgets[0].spend(1, 0), Err(Limit::SharedSteps));
        assert_eq!(budgets[2].spend(5, 50), Ok(()), "others keep their share");
        assert_eq!(budgets[2].spend(0, 101), Err(Limit::SharedBytes));
        pool.grow(10, 0);
        assert_eq!(budgets[1].spend(10, 0), Ok(()));
        assert_eq!(budgets[0].spend(1, 0), Err(Limit::SharedSteps), "exceeded once for all");
    }

    #[test]
    fn meters_share_their_budget() {
        let all = budget(10, 100, 100);
        let (mut one, mut other) = (Meter::new(&all), Meter::new(&all));
        assert_eq!(one.spend(6), Ok(()));
        drop(one);
        assert_eq!(other.spend(4), Ok(()));
        assert_eq!(other.spend(1), Err(Limit::Steps(10)));
        assert_eq!(Meter::new(&all).allocate(0), Ok(()), "nothing is spent");
        assert_eq!(Meter::new(&all).spend(1), Err(Limit::Steps(10)));
        assert_eq!(all.exceeded(), Some(Limit::Steps(10)));
    }

    #[test]
    fn the_limit_is_exact() {
        let all = budget(STRIDE * 3 + 5, 100, 100);
        let mut meter = Meter::new(&all);
        for _ in 0..STRIDE * 3 + 5 {
            assert_eq!(meter.spend(1), Ok(()));
        }
        assert!(meter.spend(1).is_err());
    }

    #[test]
    fn bytes_count_per_execution_and_together() {
        let all = budget(10, 100, 60);
        let mut one = Meter::new(&all);
        assert_eq!(one.allocate(60), Ok(()));
        assert!(one.check(0).is_ok());
        drop(one);
        let mut other = Meter::new(&all);
        assert_eq!(other.allocate(40), Ok(()));
        assert_eq!(other.allocate(1), Err(Limit::Bytes(100)));
        let all = budget(10, 100, 60);
        assert_eq!(Meter::new(&all).allocate(61), Err(Limit::BytesAtOnce(60)));
    }

    #[test]
    fn limits_have_names() {
        for (limit, name) in [
            (Limit::Steps(50_000_000), "needs more than 50 million template steps"),
            (Limit::Steps(1234), "needs more than 1234 template steps"),
            (Limit::Bytes(2 << 30), "makes more than 2 GiB of text"),
            (Limit::BytesAtOnce(5), "makes more than 5 bytes of text in one render"),
            (Limit::Values(2_000_000), "prints more than 2 million YAML values"),
            (Limit::Time(Duration::from_secs(30)), "takes longer than 30 seconds"),
        ] {
            assert_eq!(limit.to_string(), name);
        }
    }
}
