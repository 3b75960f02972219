//! How much of reading is allocating: `bump FILE…` reads each file with the allocator of the system and with one that only
//! counts up and takes nothing back, in turn. What is left is what no saving of allocations could beat.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Room for what one read allocates in all.
const ROOM: usize = 1 << 30;

/// Counts up while it is asked to, and is the system's allocator otherwise.
struct Bump;

static BUMPING: AtomicBool = AtomicBool::new(false);
static ROOM_AT: AtomicUsize = AtomicUsize::new(0);
static USED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every block lies within the one room, behind all others that were given since it was last emptied, and the
// programme has one thread and empties the room only when all of them are gone.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !BUMPING.load(Relaxed) {
            // SAFETY: as the caller promised.
            return unsafe { System.alloc(layout) };
        }
        let start = USED.load(Relaxed).next_multiple_of(layout.align());
        USED.store(start + layout.size(), Relaxed);
        match start + layout.size() <= ROOM {
            true => (ROOM_AT.load(Relaxed) + start) as *mut u8,
            false => std::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let room = ROOM_AT.load(Relaxed);
        if !(room..room + ROOM).contains(&(block as usize)) {
            // SAFETY: as the caller promised.
            unsafe { System.dealloc(block, layout) }
        }
    }
}

#[global_allocator]
static ALLOCATOR: Bump = Bump;

fn read(bytes: &[u8]) {
    if rbxbinary::detect(bytes).is_some() {
        drop(black_box(rbxbinary::from_slice(bytes).expect("a document")));
    } else if m3d::detect(bytes).is_some() {
        drop(black_box(m3d::from_slice(bytes).expect("a model")));
    } else {
        drop(black_box(llsd::from_slice(bytes).expect("a value")));
    }
}

fn main() {
    // SAFETY: the size is not zero.
    let room = unsafe { System.alloc_zeroed(Layout::from_size_align(ROOM, 4096).expect("a layout")) };
    ROOM_AT.store(room as usize, Relaxed);
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("a file");
        let mut least = [Duration::MAX; 2];
        for round in 0..2_000 {
            let bump = round % 2 == 1;
            BUMPING.store(bump, Relaxed);
            let start = Instant::now();
            read(&bytes);
            let time = start.elapsed();
            BUMPING.store(false, Relaxed);
            USED.store(0, Relaxed);
            least[usize::from(bump)] = least[usize::from(bump)].min(time);
        }
        println!("{path}: {:?}, without allocating {:?}", least[0], least[1]);
    }
}
