#include "store.hpp"

namespace acme {

namespace {
int limit(int value) { return value > 9 ? 9 : value; }
} // namespace

static int twice(int value) { return limit(value) * 2; }

void Logger::flush() { log("flush"); }

FileLogger::FileLogger(const std::string &path) : FileLogger(path, 1) {}

FileLogger::FileLogger(const std::string &path, int level) { (void)level; rotate(); }

void FileLogger::log(const std::string &text) { rotate(); }

void FileLogger::rotate() {}

Store::Store(std::unique_ptr<Logger> logger, FileLogger *files)
    : logger_(std::move(logger)), files_(files)
{
    touch();
}

Store::~Store() { logger_->flush(); }

void Store::add(const Item &item)
{
    add(item, 1);
    items_[0].price();
    logger_->log("add");
    files_->rotate();
    cache_.put(item);
    cache_.find(1)->price();
}

void Store::add(const Item &item, int times)
{
    for (const auto &one : items_) {
        one.price();
    }
    for (Item &one : items_)
        one.price();
    util::clamp(times);
    util::clamp(times, 2);
}

int Store::total() const { return twice(3); }

Item &Store::first() { return items_.front(); }

Store &Store::instance()
{
    static Store store(nullptr, nullptr);
    return store;
}

void Store::each(const std::function<void(Item &)> &visit)
{
    visit(items_[0]);
    reset();
    ::acme::util::reset();
}

Store &Store::self() { this->touch(); return *this; }

void Store::touch() {}

void Shop::add(const Item &item)
{
    Store::add(item);
    total();
}

int Shop::report()
{
    first().price();
    self().total();
    instance().total();
    return Store::instance().self().total();
}

int util::clamp(int value) { return clamp(value, 0); }

int util::clamp(int value, int low) { return value < low ? low : value; }

void util::reset() { acme::reset(); }

void reset() {}

Item make_item(int cost) { return Item{cost}; }

std::shared_ptr<Store> open_store(const char *path)
{
    auto files = new FileLogger(path);
    return std::make_shared<Store>(nullptr, files);
}

} // namespace acme
