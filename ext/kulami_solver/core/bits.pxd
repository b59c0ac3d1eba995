# Bit tricks on 64-bit words, and the only place where compilers and processors differ.
#
#   popcount(x)      number of set bits
#   lowest(x)        index of the lowest set bit; x must not be 0
#   highest(x)       index of the highest set bit; x must not be 0
#   high_product     upper 64 bits of the 128-bit product of two words
#   prefetch(p)      ask for the cache line at p; may do nothing
#   unlikely(x)      a branch hint; may do nothing
#   relaxed_load/relaxed_store, relaxed_load_16, relaxed_load_32/relaxed_store_32
#                    one word of 64 (16, 32) bits read or written in one piece, in no particular
#                    order with others: threads need this to share words without a lock; on
#                    x86-64 it costs nothing
#   count, counted   add to a number that one thread alone writes, and read it from any thread
#   acquire_load/release_store
#                    the same; a thread that loads a stored word also sees everything that was
#                    written before the store
#   fetch_or, exchange, replace_16
#                    read, change and write in one step, in no particular order with others:
#                    set bits and return the old word; put a word in and return the old one;
#                    put a new number in if the present one is the given old one
#   fetch_add, take  the same; everything that was written before another thread's step (or its
#                    release_store) is seen after this step: add and return the old word; put 1 in
#                    and return the old word
#   Eight            eight numbers of 16 bits side by side, in one register if there is one
#   eight_add, eight_sub
#                    add them, subtract them, number by number
#   eight_least(sum, step, n)
#                    the least of the eight numbers  sum + n * step;  none may be below 0
#   count_above(numbers, x)
#                    how many of 64 numbers of 16 bits are above x
#   above(numbers, x)
#                    which of 64 numbers of 8 bits are above x, as a set
#   cpuid, xgetbv    an x86 processor's description of itself, and the registers that the system
#                    keeps; zeros on other processors

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #if defined(__GNUC__) || defined(__clang__)
      #define kulami_popcount(x) __builtin_popcountll(x)
      #define kulami_lowest(x) __builtin_ctzll(x)
      #define kulami_highest(x) (63 - __builtin_clzll(x))
      #define kulami_prefetch(p) __builtin_prefetch(p)
      #define kulami_unlikely(x) __builtin_expect(!!(x), 0)
      #define kulami_relaxed_load(p) __atomic_load_n((const uint64_t *)(p), __ATOMIC_RELAXED)
      #define kulami_relaxed_store(p, v) __atomic_store_n((uint64_t *)(p), (v), __ATOMIC_RELAXED)
      #define kulami_acquire_load(p) __atomic_load_n((const uint64_t *)(p), __ATOMIC_ACQUIRE)
      #define kulami_release_store(p, v) __atomic_store_n((uint64_t *)(p), (v), __ATOMIC_RELEASE)
      #define kulami_fetch_or(p, v) __atomic_fetch_or((uint64_t *)(p), (v), __ATOMIC_RELAXED)
      #define kulami_exchange(p, v) __atomic_exchange_n((uint64_t *)(p), (v), __ATOMIC_RELAXED)
      #define kulami_fetch_add(p, v) __atomic_fetch_add((uint64_t *)(p), (v), __ATOMIC_ACQ_REL)
      #define kulami_take(p) __atomic_exchange_n((uint64_t *)(p), 1, __ATOMIC_ACQUIRE)
      static inline int kulami_replace_16(uint16_t *p, uint16_t old, uint16_t new_) {
        return __atomic_compare_exchange_n(
            p, &old, new_, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
      }
      #define kulami_relaxed_load_16(p) __atomic_load_n((const uint16_t *)(p), __ATOMIC_RELAXED)
      #define kulami_relaxed_load_32(p) __atomic_load_n((const int32_t *)(p), __ATOMIC_RELAXED)
      #define kulami_relaxed_store_32(p, v) __atomic_store_n((int32_t *)(p), (v), __ATOMIC_RELAXED)
      static inline uint64_t kulami_high_product(uint64_t a, uint64_t b) {
        return (uint64_t)(((unsigned __int128)a * b) >> 64);
      }
      typedef int16_t kulami_lanes __attribute__((vector_size(16)));
      typedef union { kulami_lanes all; int16_t at[8]; } Eight;
      #define kulami_eight_add(sum, e) ((sum)->all += (e)->all)
      #define kulami_eight_sub(sum, e) ((sum)->all -= (e)->all)
      static inline int kulami_count_above(const int16_t *numbers, int16_t x) {
        kulami_lanes eight, above = {0};
        uint64_t halves[2];
        for (int i = 0; i < 64; i += 8) {
          memcpy(&eight, numbers + i, 16);
          above -= eight > x;
        }
        memcpy(halves, &above, 16);
        return (int)((halves[0] + halves[1]) * 0x0001000100010001u >> 48);
      }
      #ifdef __SSE4_1__
      #include <smmintrin.h>
      /* One instruction finds the least of eight. It takes them for unsigned, as they all are. */
      static inline int kulami_eight_least(const Eight *sum, const Eight *step, int n) {
        kulami_lanes e = sum->all + step->all * (int16_t)n;
        return _mm_cvtsi128_si32(_mm_minpos_epu16((__m128i)e)) & 0xffff;
      }
      #else
      static inline kulami_lanes kulami_lesser(kulami_lanes v, kulami_lanes w) {
        kulami_lanes smaller = v < w;
        return (v & smaller) | (w & ~smaller);
      }
      static inline int kulami_eight_least(const Eight *sum, const Eight *step, int n) {
        Eight e, halves, quarters;
        e.all = sum->all + step->all * (int16_t)n;
        halves.all = (kulami_lanes){e.at[4], e.at[5], e.at[6], e.at[7]};
        e.all = kulami_lesser(e.all, halves.all);
        quarters.all = (kulami_lanes){e.at[2], e.at[3]};
        e.all = kulami_lesser(e.all, quarters.all);
        return e.at[0] < e.at[1] ? e.at[0] : e.at[1];
      }
      #endif
      #ifdef __SSE2__
      #include <emmintrin.h>
      static inline uint64_t kulami_above(const uint8_t *numbers, uint8_t x) {
        uint64_t others = 0;
        for (int i = 0; i < 64; i += 16) {
          __m128i over = _mm_subs_epu8(
              _mm_loadu_si128((const __m128i *)(numbers + i)), _mm_set1_epi8((char)x));
          __m128i none = _mm_cmpeq_epi8(over, _mm_setzero_si128());
          others |= (uint64_t)(uint32_t)_mm_movemask_epi8(none) << i;
        }
        return ~others;
      }
      #else
      static inline uint64_t kulami_above(const uint8_t *numbers, uint8_t x) {
        uint64_t above = 0;
        for (int i = 0; i < 64; i++) above |= (uint64_t)(numbers[i] > x) << i;
        return above;
      }
      #endif
      #ifdef __x86_64__
      #include <cpuid.h>
      static inline void kulami_cpuid(uint32_t leaf, uint32_t part, uint32_t *out) {
        if (!__get_cpuid_count(leaf, part, out, out + 1, out + 2, out + 3)) memset(out, 0, 16);
      }
      static inline uint32_t kulami_xgetbv(void) {
        uint32_t low, high;
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        return low;
      }
      #endif
    #elif defined(_MSC_VER) && defined(_M_X64)
      #include <intrin.h>
      #define kulami_popcount(x) ((int)__popcnt64(x))
      static __forceinline int kulami_lowest(uint64_t x) {
        unsigned long i; _BitScanForward64(&i, x); return (int)i;
      }
      static __forceinline int kulami_highest(uint64_t x) {
        unsigned long i; _BitScanReverse64(&i, x); return (int)i;
      }
      #define kulami_prefetch(p) _mm_prefetch((const char *)(p), _MM_HINT_T0)
      #define kulami_unlikely(x) (x)
      #define kulami_relaxed_load(p) (*(volatile const uint64_t *)(p))
      #define kulami_relaxed_store(p, v) (*(volatile uint64_t *)(p) = (v))
      #define kulami_acquire_load(p) kulami_relaxed_load(p)
      #define kulami_release_store(p, v) kulami_relaxed_store(p, v)
      #define kulami_fetch_or(p, v) ((uint64_t)_InterlockedOr64((volatile __int64 *)(p), (v)))
      #define kulami_exchange(p, v) ((uint64_t)_InterlockedExchange64((volatile __int64 *)(p), (v)))
      #define kulami_fetch_add(p, v) \
        ((uint64_t)_InterlockedExchangeAdd64((volatile __int64 *)(p), (__int64)(v)))
      #define kulami_take(p) kulami_exchange(p, 1)
      static __forceinline int kulami_replace_16(uint16_t *p, uint16_t old, uint16_t new_) {
        return (uint16_t)_InterlockedCompareExchange16((volatile short *)p, new_, old) == old;
      }
      #define kulami_relaxed_load_16(p) (*(volatile const uint16_t *)(p))
      #define kulami_relaxed_load_32(p) (*(volatile const int32_t *)(p))
      #define kulami_relaxed_store_32(p, v) (*(volatile int32_t *)(p) = (v))
      #define kulami_high_product(a, b) __umulh((a), (b))
      /* All that have popcnt, which is taken for granted above, have SSE 4.1 as well. */
      typedef union { __m128i all; int16_t at[8]; } Eight;
      #define kulami_eight_add(sum, e) ((sum)->all = _mm_add_epi16((sum)->all, (e)->all))
      #define kulami_eight_sub(sum, e) ((sum)->all = _mm_sub_epi16((sum)->all, (e)->all))
      static __forceinline int kulami_eight_least(const Eight *sum, const Eight *step, int n) {
        __m128i steps = _mm_mullo_epi16(step->all, _mm_set1_epi16((short)n));
        return _mm_cvtsi128_si32(_mm_minpos_epu16(_mm_add_epi16(sum->all, steps))) & 0xffff;
      }
      static __forceinline int kulami_count_above(const int16_t *numbers, int16_t x) {
        int above = 0;
        for (int i = 0; i < 64; i++) above += numbers[i] > x;
        return above;
      }
      static __forceinline uint64_t kulami_above(const uint8_t *numbers, uint8_t x) {
        uint64_t above = 0;
        for (int i = 0; i < 64; i++) above |= (uint64_t)(numbers[i] > x) << i;
        return above;
      }
      static __forceinline void kulami_cpuid(uint32_t leaf, uint32_t part, uint32_t *out) {
        int most[4];
        __cpuid(most, (int)(leaf & 0x80000000u));
        memset(out, 0, 16);
        if (leaf <= (uint32_t)most[0]) __cpuidex((int *)out, (int)leaf, (int)part);
      }
      #define kulami_xgetbv() ((uint32_t)_xgetbv(0))
    #else
      #error "kulami_solver needs gcc, clang or 64-bit MSVC for x86-64"
    #endif
    #if !defined(__x86_64__) && !defined(_M_X64)
      #define kulami_cpuid(leaf, part, out) memset((out), 0, 16)
      #define kulami_xgetbv() 0
    #endif
    """
    int popcount "kulami_popcount"(uint64_t x) noexcept nogil
    int lowest "kulami_lowest"(uint64_t x) noexcept nogil
    int highest "kulami_highest"(uint64_t x) noexcept nogil
    void prefetch "kulami_prefetch"(const void *p) noexcept nogil
    bint unlikely "kulami_unlikely"(bint x) noexcept nogil
    uint64_t relaxed_load "kulami_relaxed_load"(const uint64_t *p) noexcept nogil
    void relaxed_store "kulami_relaxed_store"(uint64_t *p, uint64_t v) noexcept nogil
    uint64_t acquire_load "kulami_acquire_load"(const uint64_t *p) noexcept nogil
    void release_store "kulami_release_store"(uint64_t *p, uint64_t v) noexcept nogil
    uint64_t fetch_or "kulami_fetch_or"(uint64_t *p, uint64_t v) noexcept nogil
    uint64_t exchange "kulami_exchange"(uint64_t *p, uint64_t v) noexcept nogil
    uint64_t fetch_add "kulami_fetch_add"(uint64_t *p, uint64_t v) noexcept nogil
    bint take "kulami_take"(uint64_t *p) noexcept nogil
    bint replace_16 "kulami_replace_16"(uint16_t *p, uint16_t old, uint16_t new) noexcept nogil
    uint16_t relaxed_load_16 "kulami_relaxed_load_16"(const uint16_t *p) noexcept nogil
    int32_t relaxed_load_32 "kulami_relaxed_load_32"(const int32_t *p) noexcept nogil
    void relaxed_store_32 "kulami_relaxed_store_32"(int32_t *p, int32_t v) noexcept nogil
    uint64_t high_product "kulami_high_product"(uint64_t a, uint64_t b) noexcept nogil
    ctypedef struct Eight:
        int16_t at[8]
    void eight_add "kulami_eight_add"(Eight *sum, const Eight *e) noexcept nogil
    void eight_sub "kulami_eight_sub"(Eight *sum, const Eight *e) noexcept nogil
    int eight_least "kulami_eight_least"(const Eight *sum, const Eight *step, int n) noexcept nogil
    int count_above "kulami_count_above"(const int16_t *numbers, int16_t x) noexcept nogil
    uint64_t above "kulami_above"(const uint8_t *numbers, uint8_t x) noexcept nogil
    void cpuid "kulami_cpuid"(uint32_t leaf, uint32_t part, uint32_t *out) noexcept nogil
    uint32_t xgetbv "kulami_xgetbv"() noexcept nogil


cdef inline uint64_t bit(int i) noexcept nogil:
    return <uint64_t>1 << i


cdef inline void count(int64_t *number, int64_t more) noexcept nogil:
    relaxed_store(<uint64_t *>number, <uint64_t>(number[0] + more))


cdef inline int64_t counted(const int64_t *number) noexcept nogil:
    return <int64_t>relaxed_load(<const uint64_t *>number)
