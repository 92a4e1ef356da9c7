//! scrypt (RFC 7914) on SHA-256, for `derivePassword` alone.

use sha2::{Digest, Sha256};

/// HMAC-SHA-256.
pub(super) fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut block = [0_u8; 64];
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let mut inner = Sha256::new_with_prefix(block.map(|byte| byte ^ 0x36));
    parts.iter().for_each(|part| inner.update(part));
    let mut outer = Sha256::new_with_prefix(block.map(|byte| byte ^ 0x5c));
    outer.update(inner.finalize());
    outer.finalize().into()
}

/// PBKDF2-HMAC-SHA-256 with one iteration.
fn pbkdf2(password: &[u8], salt: &[u8], out: &mut [u8]) {
    for (i, chunk) in out.chunks_mut(32).enumerate() {
        let index = (i as u32 + 1).to_be_bytes();
        chunk.copy_from_slice(&hmac(password, &[salt, &index])[..chunk.len()]);
    }
}

/// The key of so many bytes; `n` must be a power of two.
pub(super) fn scrypt(
    password: &[u8],
    salt: &[u8],
    (n, r, p): (usize, usize, usize),
    len: usize,
) -> Vec<u8> {
    let mut blocks = vec![0; 128 * r * p];
    pbkdf2(password, salt, &mut blocks);
    for block in blocks.chunks_mut(128 * r) {
        mix(block, n);
    }
    let mut key = vec![0; len];
    pbkdf2(password, &blocks, &mut key);
    key
}

/// `scryptROMix`.
fn mix(block: &mut [u8], n: usize) {
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let mut x: Vec<u32> = block.chunks(4).map(word).collect();
    let len = x.len();
    let mut table = Vec::with_capacity(n * len);
    let mut spare = vec![0; len];
    for _ in 0..n {
        table.extend_from_slice(&x);
        mix_block(&mut x, &mut spare);
    }
    for _ in 0..n {
        let at = (x[len - 16] as usize & (n - 1)) * len;
        x.iter_mut().zip(&table[at..at + len]).for_each(|(x, other)| *x ^= other);
        mix_block(&mut x, &mut spare);
    }
    for (chunk, word) in block.chunks_mut(4).zip(x) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
}

/// `scryptBlockMix`.
fn mix_block(x: &mut Vec<u32>, spare: &mut Vec<u32>) {
    let half = x.len() / 2;
    let mut state = [0_u32; 16];
    state.copy_from_slice(&x[x.len() - 16..]);
    for (i, chunk) in x.chunks(16).enumerate() {
        state.iter_mut().zip(chunk).for_each(|(state, word)| *state ^= word);
        salsa(&mut state);
        let at = i / 2 * 16 + if i % 2 == 0 { 0 } else { half };
        spare[at..at + 16].copy_from_slice(&state);
    }
    std::mem::swap(x, spare);
}

/// Salsa20/8.
fn salsa(state: &mut [u32; 16]) {
    const ROUNDS: [[usize; 4]; 8] = [
        [0, 4, 8, 12],
        [5, 9, 13, 1],
        [10, 14, 2, 6],
        [15, 3, 7, 11],
        [0, 1, 2, 3],
        [5, 6, 7, 4],
        [10, 11, 8, 9],
        [15, 12, 13, 14],
    ];
    let mut x = *state;
    for _ in 0..4 {
        for [a, b, c, d] in ROUNDS {
            x[b] ^= x[a].wrapping_add(x[d]).rotate_left(7);
            x[c] ^= x[b].wrapping_add(x[a]).rotate_left(9);
            x[d] ^= x[c].wrapping_add(x[b]).rotate_left(13);
            x[a] ^= x[d].wrapping_add(x[c]).rotate_left(18);
        }
    }
    state.iter_mut().zip(x).for_each(|(state, x)| *state = state.wrapping_add(x));
}
